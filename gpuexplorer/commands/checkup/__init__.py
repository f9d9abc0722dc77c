"""What `gpuexplorer doctor` looks at: one file per topic, each ending in a verdict."""
