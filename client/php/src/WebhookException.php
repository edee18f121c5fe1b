<?php
declare(strict_types=1);

namespace Rodata;

/** A message that failed verification and must be ignored. */
final class WebhookException extends \RuntimeException
{
}
