"""``python -m cvar_core``."""

import sys

from .cli import main

sys.exit(main())
