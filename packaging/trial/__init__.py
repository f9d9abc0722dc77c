"""The built packages tried in a bare system: installed, started, upgraded, removed."""
