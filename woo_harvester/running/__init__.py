"""What a command needs to run a spider: streams, log, the process, and why a run could not start."""
