"""The lab: devices as shelves, forms, the code that grows, what is inside a thing."""
