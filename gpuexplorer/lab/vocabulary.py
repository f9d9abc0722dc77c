"""The words of PyTorch that the lab understands. Everything else is refused by name."""


def _words(text: str) -> "frozenset[str]":
    return frozenset(text.split())


CREATORS = _words(
    "ones zeros full rand randn randint arange linspace eye tensor empty ones_like zeros_like "
    "full_like rand_like randn_like empty_like"
)
FUNCTIONS = CREATORS | _words(
    "abs add allclose amax amin argmax argmin bmm cat chunk clamp cos cosh cumsum device diag "
    "div dot einsum equal exp flatten from_numpy is_tensor isnan log log1p logsumexp matmul "
    "max maximum mean median min minimum mm mul mv norm numel outer permute pow prod reshape "
    "relu round rsqrt sigmoid sin softmax sort split sqrt squeeze stack std sub sum tanh tile "
    "topk transpose tril triu unsqueeze var where manual_seed no_grad enable_grad "
    "is_grad_enabled set_num_threads get_num_threads get_default_dtype load save isfinite"
)
CUDA = _words(
    "device_count is_available get_device_name get_device_properties get_device_capability "
    "memory_allocated memory_reserved max_memory_allocated max_memory_reserved mem_get_info "
    "reset_peak_memory_stats empty_cache synchronize current_device set_device Event Stream "
    "stream current_stream can_device_access_peer set_per_process_memory_fraction "
    "memory_summary memory_stats device manual_seed manual_seed_all"
)
LAYERS = _words(
    "AdaptiveAvgPool2d AvgPool2d BatchNorm1d BatchNorm2d Conv1d Conv2d Dropout Embedding "
    "Flatten GELU GRU Identity LSTM LayerNorm LazyConv2d LazyLinear LeakyReLU Linear "
    "LogSoftmax MaxPool2d MultiheadAttention RNN ReLU SiLU Sequential Sigmoid Softmax "
    "Softplus Tanh TransformerEncoderLayer Unflatten"
)
LOSSES = _words("BCEWithLogitsLoss CrossEntropyLoss L1Loss MSELoss NLLLoss")
WRAPPERS = frozenset({"DataParallel"})
FUNCTIONAL = _words(
    "cross_entropy gelu layer_norm linear log_softmax mse_loss nll_loss one_hot pad relu "
    "sigmoid softmax tanh scaled_dot_product_attention"
)
TRAINING_LOSSES = _words("cross_entropy mse_loss nll_loss")
OPTIMISERS = _words("SGD Adam AdamW RMSprop")
DTYPES = _words(
    "float16 bfloat16 float32 float64 half float double int8 int16 int32 int64 uint8 short "
    "int long bool complex64 complex128"
)
METHODS = _words(
    "abs add add_ all allclose amax amin any argmax argmin backward bfloat16 bmm bool chunk "
    "clamp clamp_ clone contiguous copy_ cos cpu cuda cumsum detach detach_ diag dim div div_ "
    "dot double element_size eq equal exp exp_ expand fill_ flatten float ge get_device gt "
    "half int is_contiguous is_pinned item le log long lt masked_fill matmul max mean median "
    "min mm mul mul_ narrow ne norm normal_ numel numpy outer permute pin_memory pow prod "
    "reciprocal relu relu_ repeat requires_grad_ reshape retain_grad round rsqrt select "
    "sigmoid sin size softmax sort split sqrt squeeze std stride sub sub_ sum t tanh tile to "
    "tolist topk transpose tril triu type unfold uniform_ unsqueeze var view zero_ cosh "
    "isfinite isnan log1p logsumexp maximum minimum mv square "
    # of models and optimisers
    "eval train parameters named_parameters state_dict load_state_dict zero_grad step "
    "children "
    # of events and streams
    "record elapsed_time synchronize wait_event wait_stream query"
)
ATTRIBUTES = _words(
    "T data device dtype grad grad_fn is_cuda is_leaf itemsize mT name nbytes ndim "
    "requires_grad shape bias weight in_features out_features training type index "
    "total_memory major minor multi_processor_count uuid"
)
BUILTINS = _words("print len float int bool abs min max sum list tuple range type")
# The book's own helpers and one of ours, which a saved script brings along.
HELPERS = frozenset({"cpu", "gpu", "num_gpus", "try_gpu", "try_all_gpus", "log_placement"})
# Made by one click, written out in a saved script.
MODELS = frozenset({"mlp", "lenet", "small_cnn", "transformer_block", "lstm", "tiny_gpt"})

DOTTED = (
    frozenset(f"torch.{name}" for name in FUNCTIONS | DTYPES)
    | frozenset(f"torch.cuda.{name}" for name in CUDA)
    | frozenset(f"torch.nn.{name}" for name in LAYERS | LOSSES | WRAPPERS)
    | frozenset(f"torch.nn.functional.{name}" for name in FUNCTIONAL)
    | frozenset(f"torch.optim.{name}" for name in OPTIMISERS)
)
# How the same is written for short.
ROOTS = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional"}
TAKEN = frozenset(ROOTS) | BUILTINS | HELPERS | MODELS
