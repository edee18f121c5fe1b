<?php
declare(strict_types=1);

namespace Rodata;

/** A message that must not be believed. */
final class WebhookException extends \RuntimeException
{
}
