"""Hugging Face Hub and Weights & Biases."""

from __future__ import annotations

from bot.diagnosis.rule import Action, Rule, Strength

_GROUP = "hub"

RULES = (
    Rule(
        label="hf-gated",
        group=_GROUP,
        title="The Hugging Face repository[ {repo}] is gated, and this token has no access.",
        remedy="Ask for access on the model's page, then set HF_TOKEN.",
        wants="HF_TOKEN",
        title_without="The Hugging Face repository[ {repo}] is gated, and the bot has no HF_TOKEN "
        "to give to the job.",
        remedy_without="Ask for access on the model's page, and the bot's administrators for an "
        "HF_TOKEN that has it; /slurm secrets shows how it is. Then run it again.",
        patterns=(
            r"GatedRepoError",
            r"Cannot access gated repo for url",
            r"Access to (?:model|dataset) (?P<repo>\S+) is restricted",
            r"You are trying to access a gated repo",
            r"is a gated dataset",
            r"(?:enable access to public|access to this) gated repositor",
            r"is awaiting a review from the repo authors",
        ),
        actions=(Action.SET_SECRET,),
        strength=Strength.PRECISE,  # a bare 401 or 403 comes first
    ),
    Rule(
        label="hf-rate-limit",
        group=_GROUP,
        title="The Hugging Face Hub refuses more requests for now.",
        remedy="Download once beforehand and set HF_HUB_OFFLINE=1, or wait and use a token.",
        patterns=(
            r"429 Client Error",
            r"HTTP Error 429",
            r"429 Too Many Requests.*(?:huggingface|hf\.co)",
            r"(?:huggingface|hf\.co).*\b429 (?:Client|Too)",
            r"We had to rate limit (?:your IP|you)",
            r"HfHubHTTPError: 429\b",
            r"Client error '429 ",
        ),
        actions=(Action.RESUBMIT_OFFLINE,),
        transient=True,
    ),
    Rule(
        label="hf-auth",
        group=_GROUP,
        title="The Hugging Face Hub refuses the token.",
        remedy="Set an HF_TOKEN that may read the repository.",
        wants="HF_TOKEN",
        title_without="The Hugging Face Hub wants a token, and the bot has no HF_TOKEN to give to "
        "the job.",
        remedy_without="Ask the bot's administrators for an HF_TOKEN that may read the repository; "
        "/slurm secrets shows how it is. Then run it again.",
        patterns=(
            r"40[13] Client Error.*(?:huggingface|hf\.co)",
            r"RepositoryNotFoundError",
            r"Invalid (?:user token|credentials in Authorization header|username or password)",
            r"Error: [^/.\s]\S* is not a local folder and is not a valid model identifier",
            r"User Access Token .* is expired",
            r"HfHubHTTPError: 40[13]\b",
            r"Client error '40[13] .*(?:huggingface|hf\.co)",
            r"LocalTokenNotFoundError",
            r"Token is required.*but no token found",
            r"HfHubHTTPError.*\b40[13] Client",
        ),
        actions=(Action.SET_SECRET,),
    ),
    Rule(
        label="hf-offline",
        group=_GROUP,
        title="Offline mode is on, and the file is not in the local cache.",
        remedy="Download it once on a node with Internet, or unset HF_HUB_OFFLINE.",
        patterns=(
            r"OfflineModeIsEnabled",
            r"outgoing traffic has been disabled",
            r"Couldn't find cache for \S+ for config",
            r"[Oo]ffline mode is enabled",
            r"HF_HUB_OFFLINE.*(?:set|enabled|is on)",
        ),
        actions=(Action.RESUBMIT_OPTION,),
        strength=Strength.PRECISE,  # transformers says that it could not connect
    ),
    Rule(
        label="hf-connection",
        group=_GROUP,
        title="The Hugging Face Hub cannot be reached from the node.",
        remedy="Use a cache filled on the login node and HF_HUB_OFFLINE=1, or set the proxy.",
        patterns=(
            (
                r"(?:host='(?:huggingface\.co|cdn-lfs\S*|\S*\.hf\.co)').*(?:Max retries|timed out|"
                r"NewConnection|ConnectTimeout|Read timed|Network is unreachable|resolve)"
            ),
            (
                r"(?:ConnectionError|ConnectError|ConnectTimeout|SSLError|ProxyError|"
                r"ReadTimeout\w*).*(?:huggingface\.co|hf\.co)"
            ),
            r"We couldn't connect to 'https://huggingface\.co'",
            r"LocalEntryNotFoundError: ",
            r"^\S*LocalEntryNotFoundError$",
            r"Got: Connect(?:ion)?Error: ",
            r"(?:Couldn't|Could not|Unable to) reach .*(?:Hub|huggingface)",
            r"(?:50[0-4] Server Error: |Server error '50[0-4] ).*(?:huggingface\.co|hf\.co)",
            r"CAS service error|xethub\.hf\.co",
            r"while downloading using `?hf_transfer",
        ),
        actions=(Action.RESUBMIT_OFFLINE,),
        transient=True,
        lines=(
            (
                "RuntimeError: Data processing error: CAS service error : Reqwest Error: HTTP "
                "status "
                "client error"
            ),
            (
                "requests.exceptions.HTTPError: 504 Server Error: Gateway Time-out for url: "
                "https://huggingface.co/api/models/a/b"
            ),
        ),
    ),
    Rule(
        label="hf-connection",
        group=_GROUP,
        title="The connection to the Hugging Face Hub broke.",
        remedy="Use a cache filled on the login node and HF_HUB_OFFLINE=1, or set the proxy.",
        patterns=(
            (
                r"^(?:\w+\.)*(?:ConnectionError|ConnectError|ConnectTimeout|ReadTimeout\w*|ReadError|"
                r"ChunkedEncodingError|IncompleteRead|ProtocolError|RemoteProtocolError|SSLError|"
                r"ProxyError)\b"
            ),
        ),
        actions=(Action.RESUBMIT_OFFLINE,),
        transient=True,
        within=r"File \"[^\"]*huggingface_hub/",
        last_resort=True,
    ),
    Rule(
        label="wandb-auth",
        group=_GROUP,
        title="Weights & Biases has no valid API key in the job.",
        remedy="Set WANDB_API_KEY for the job, or WANDB_MODE=offline.",
        wants="WANDB_API_KEY",
        title_without="Weights & Biases wants an API key, and the bot has no WANDB_API_KEY to give "
        "to the job.",
        remedy_without="Ask the bot's administrators for a WANDB_API_KEY; /slurm secrets shows how "
        "it is. Or run it without Weights & Biases.",
        patterns=(
            r"api_key not configured \(no-tty\)",
            r"No API key configured",
            r"wandb.*(?:API key must be|invalid API key|API key verification failed)",
            (
                r"wandb.*(?:permission denied|PERMISSION_ERROR|\b40[13] (?:Client|response|"
                r"Unauthorized|Forbidden))"
            ),
            r"user is not logged in",
            r"AuthenticationError: The API key",
            r"API key must (?:be|have) \d+",
            r"do not have permission to access the requested resource",
            r"wandb.*returned error 40[134]",
            r"Error while calling W&B API: .*Response \[40[134]\]",
        ),
        actions=(Action.SET_SECRET, Action.RESUBMIT_OFFLINE),
    ),
    Rule(
        label="wandb-network",
        group=_GROUP,
        title="Weights & Biases cannot be reached, and the run stops because of it.",
        remedy="Set WANDB_MODE=offline and sync later, or set the proxy.",
        patterns=(
            r"Run initialization has timed out",
            r"wandb\.(?:sdk\.lib|errors)\S*(?:CommError|MailboxError|ServicePollForTokenError)",
            r"CommError: ",
            r"wandb.*(?:ServiceStart\w+Error|Error communicating with wandb process)",
            r"(?:ConnectionError|Timeout|SSLError|ProxyError).*api\.wandb\.ai",
            r"W&B process (?:failed to launch|\(PID \d+\) did not respond)",
        ),
        actions=(Action.RESUBMIT_OFFLINE,),
        transient=True,
    ),
    Rule(
        label="wandb-network",
        group=_GROUP,
        title="The process of Weights & Biases did not start or answer.",
        remedy="Set WANDB_MODE=offline and sync later; rerun if it was the load of the node.",
        patterns=(
            (
                r"^(?:\w+\.)*(?:Exception: problem|TimeoutError|Timeout|ConnectionError|"
                r"ConnectionRefusedError|ConnectTimeout|ReadTimeout)\b"
            ),
        ),
        actions=(Action.RESUBMIT_OFFLINE,),
        transient=True,
        within=r"File \"[^\"]*wandb/(?:sdk|apis|old)/",
        last_resort=True,
        lines=(
            (
                "Traceback (most recent call last):\n"
                '  File "/opt/v/wandb/sdk/service/service.py", line 114, in _wait_for_ports\n'
                "Exception: problem"
            ),
        ),
    ),
)
