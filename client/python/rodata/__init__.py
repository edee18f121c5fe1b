"""A client of rodata: Romanian companies, VAT numbers, CAEN codes and exchange rates."""

from .api import *  # noqa: F403
from .batch import Batch, batch_companies, batch_vat_numbers
from .core import CutError, ProblemError, UnreachableError
from .webhook import WebhookError, verify_webhook
