"""Batch calls, answered item by item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from .core import CutError

if TYPE_CHECKING:
    from .api import (
        BatchCompaniesRequest,
        BatchVATNumbersRequest,
        Client,
        CompanyBatchItem,
        CompanyBatchSummary,
        VATBatchItem,
        VATBatchSummary,
    )

Order = Literal["known", "input"]
"""The order of the items: as they become known, or as in the list."""

Item = TypeVar("Item")
Summary = TypeVar("Summary")


class Batch(Generic[Item, Summary]):
    """Iterates over the items of a list. ``summary`` is set after the last item."""

    summary: Summary | None = None

    def __init__(self, lines: Iterator[Any]):
        self._lines = lines

    def __iter__(self) -> Iterator[Item]:
        for line in self._lines:
            if "summary" in line:
                self.summary = line["summary"]
                return
            yield line
        raise CutError("the answer was cut off: items may be missing")


def batch_companies(client: Client, body: BatchCompaniesRequest, order: Order = "known") -> Batch[CompanyBatchItem, CompanyBatchSummary]:
    """Looks up a list of companies. A company that cannot be answered is an item with a problem. If the stream ends
    without a summary, the iterator raises CutError."""
    return Batch(client.lines("POST", "/v1/companies/batch", body=body, query={"order": order}, repeatable=True))


def batch_vat_numbers(client: Client, body: BatchVATNumbersRequest, order: Order = "known") -> Batch[VATBatchItem, VATBatchSummary]:
    """Checks a list of VAT numbers in the same way."""
    return Batch(client.lines("POST", "/v1/vat-numbers/batch", body=body, query={"order": order}, repeatable=True))
