package search

import ()
