"""What goes into a monitor and what comes out."""
