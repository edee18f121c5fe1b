<?php
declare(strict_types=1);

namespace Rodata;

/** The gateway could not be reached, or did not answer in time. */
final class TransportException extends \RuntimeException
{
}
