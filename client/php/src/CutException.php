<?php
declare(strict_types=1);

namespace Rodata;

/** A stream ended before its last line, so that items may be missing. */
final class CutException extends \RuntimeException
{
}
