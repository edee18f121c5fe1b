<?php
declare(strict_types=1);

namespace Rodata;

/** The gateway could not be reached, did not answer in time, or its answer was cut off. */
final class TransportException extends \RuntimeException
{
}
