package anaf

import ()
