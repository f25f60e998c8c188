// Made from the API's OpenAPI document by `node scripts/client-types/main.ts`: change the declarations of its routes instead.

export interface Agent {
  /** `agt_…` */
  id: string;
  /** Names the type of this object */
  object: 'agent';
  /** Its name */
  name: string;
  /** Instructions that precede the conversation */
  instructions: string | null;
  /** `provider/model`; null: the configured default */
  model: string | null;
  /** Randomness of the answer, 0 to 2 */
  temperature: number | null;
  /** Entries with one of these tags are used for answers */
  knowledge_tags: string[];
  /** Voice of spoken answers */
  voice: string | null;
  /** Models to fall back to, in this order, when one fails before producing output */
  fallbacks: string[];
  /** Tools that the agent runs on the server, in chat and voice turns */
  tools: ({
    /** Distinguishes the alternatives */
    type: 'knowledge_search';
    /** Only entries with one of these tags. Default: all entries of the scope */
    tags?: string[] | undefined;
  } | {
    /** Distinguishes the alternatives */
    type: 'web_fetch';
  } | {
    /** Distinguishes the alternatives */
    type: 'generate_image';
    /** `provider/model`. Default: the configured model */
    model?: string | undefined;
  } | {
    /** Distinguishes the alternatives */
    type: 'read_document';
  } | {
    /** Distinguishes the alternatives */
    type: 'http';
    /** `api_…`: a registered API */
    api_id: string;
    /** Ids of its operations. Default: all */
    operations?: string[] | undefined;
    /** Replaces the agent's `approval` for these tools */
    approval?: 'never' | 'writes' | 'always' | string[] | undefined;
  } | {
    /** Distinguishes the alternatives */
    type: 'mcp';
    /** `mcp_…`: a registered MCP server */
    server_id: string;
    /** Names of its tools. Default: all */
    allowed_tools?: string[] | undefined;
    /** Replaces the agent's `approval` for these tools */
    approval?: 'never' | 'writes' | 'always' | string[] | undefined;
  })[];
  /** Maximum number of model answers in a turn that call tools. After that, the model answers without tools */
  max_steps: number;
  /** Which calls need approval. `writes`: calls of servers and APIs that are not read-only */
  approval: 'never' | 'writes' | 'always' | string[];
  /** A turn that has cost this much ends */
  max_cost_usd: number | null;
  /** The creator */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface ApiKey {
  /** `key_…` */
  id: string;
  /** Names the type of this object */
  object: 'api_key';
  /** Its name */
  name: string;
  /** Start of the key, to recognize it by */
  prefix: string;
  /** Its state */
  status: 'active' | 'disabled' | 'revoked';
  /** What an API key may do */
  permissions: ('read' | 'write' | 'run' | 'manage' | 'operator')[];
  /** The workspace; null: personal */
  workspace_id: string | null;
  /** Requests per minute */
  rate_limit: number | null;
  /** Time after which it is no longer valid; null: never */
  expires_at: string | null;
  /** Accurate to about a minute */
  last_used_at: string | null;
  /** Time of creation */
  created_at: string;
}

export interface ArchiveRevision {
  /** Names the type of this object */
  object: 'archive.revision';
  /** `arc_…`: the archived text */
  unit_id: string;
  /** Increases with every change */
  revision: number;
  /** Its title */
  title: string;
  /** The text or its parts */
  content: string;
  /** Keywords for finding it */
  tags: string[];
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** The author */
  user_id: string;
  /** Time of creation */
  created_at: string;
}

export interface ArchiveUnit {
  /** `arc_…` */
  id: string;
  /** Names the type of this object */
  object: 'archive.unit';
  /** Its title */
  title: string;
  /** Markdown */
  content: string;
  /** Keywords for finding it */
  tags: string[];
  /** `text`: not taken from a record */
  source: {
    /** Distinguishes the alternatives */
    type: 'session' | 'message' | 'knowledge' | 'text';
    /** The original record. It may have changed or been deleted since */
    id: string | null;
    /** Time of the snapshot */
    taken_at: string;
  };
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** Increases with every change. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** The creator */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface Asset {
  /** `ast_…` */
  id: string;
  /** The kind of work, or of the file */
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  /** Detected from the content, not the name */
  mime_type: string;
  /** Size in bytes */
  size_bytes: number;
  /** Of the content, in hexadecimal */
  sha256: string;
  /** Name of the file */
  filename: string | null;
  /** In pixels, for images and videos */
  width: number | null;
  /** Height in pixels */
  height: number | null;
  /** For videos and audio */
  duration_ms: number | null;
  /** The execution that generated it; null: it was uploaded */
  execution_id: string | null;
  /** Time of creation */
  created_at: string;
  /** Names the type of this object */
  object: 'asset';
  /** URL of its content; signed, expires, supports Range */
  url: string;
  /** URL of a thumbnail, for images and videos; signed, expires */
  thumbnail_url: string | null;
}

export interface AuditEntry {
  /** `aud_…` */
  id: string;
  /** Names the type of this object */
  object: 'audit_entry';
  /** What was done */
  action: 'login.succeeded' | 'login.failed' | 'login.ended' | 'login.token_reused' | 'password.changed' | 'identity.linked' | 'totp.enabled' | 'totp.disabled' | 'totp.reset' | 'totp.recovery_code_used' | 'totp.recovery_codes_renewed' | 'user.created' | 'user.disabled' | 'user.enabled' | 'user.left' | 'user.operator_granted' | 'user.operator_revoked' | 'api_key.created' | 'api_key.disabled' | 'api_key.enabled' | 'api_key.revoked' | 'workspace.created' | 'workspace.renamed' | 'workspace.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'member.left' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'budget.changed' | 'webhook_secret.rotated' | 'signing_key.rotated' | 'signing_key.revoked' | 'secret_key.rotated' | 'provider_key.set' | 'provider_key.removed' | 'provider.stopped' | 'provider.resumed' | 'lane.resumed' | 'model_settings.changed' | 'limits.changed' | 'mcp_server.created' | 'mcp_server.changed' | 'mcp_server.deleted' | 'tool_api.created' | 'tool_api.changed' | 'tool_api.deleted' | 'agent.deleted' | 'prompt.deleted' | 'archive_unit.deleted' | 'asset.deleted' | 'batch.deleted' | 'tool_call.approved' | 'tool_call.denied' | 'execution.cancelled_by_operator' | 'execution.deleted' | 'execution.retried_by_operator' | 'knowledge.deleted' | 'session.deleted' | 'share.created' | 'share.revoked' | 'message.deleted';
  /** Who did it */
  actor: {
    /** `nobody`: not logged in */
    type: 'user' | 'api_key' | 'command' | 'nobody';
    /** `usr_…`: the user */
    user_id: string | null;
    /** The API key; null: a login */
    key_id: string | null;
    /** Network address of the request */
    address: string | null;
  };
  /** The affected record; null: none */
  target: {
    /** Distinguishes the alternatives */
    type: string;
    /** Its id */
    id: string;
  } | null;
  /** Further information */
  details: Record<string, string | number | boolean | null>;
  /** Identifies the request in the logs */
  request_id: string | null;
  /** Time of creation */
  created_at: string;
}

export interface Batch {
  /** `bat_…` */
  id: string;
  /** Names the type of this object */
  object: 'batch';
  /** For items that name none */
  kind: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription' | null;
  /** `completed`: every item has ended, successfully or not */
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  /** How many have each status */
  counts: BatchCounts;
  /** Progress so far; null: unknown */
  progress: {
    /** Items that have ended */
    completed: number;
    /** Total */
    total: number;
    /** Items that ended per second lately, without time in which all of them waited for a provider. Null while that is unknown */
    per_second: number | null;
    /** Estimated seconds to the end: at this pace, and with the time until providers are called again. Null while that is unknown */
    remaining_s: number | null;
    /** The providers that its queued items wait for; those with the most items first */
    waiting_for: {
      /** Why */
      reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit';
      /** The provider of the model */
      provider: string;
      /** When the next call is tried. Null: unknown, or when an operator acts */
      until: string | null;
      /** `provider/model` */
      model: string;
      /** Number of queued items that wait for it */
      items: number;
    }[];
  };
  /** Null: not requested */
  economy: {
    /** `economy_fallback` of the request */
    fallback: boolean;
    /** Models that its items name and that run through a batch endpoint */
    models: string[];
    /** Models that its items name and that have none: these items run the normal way */
    other_models: string[];
  } | null;
  /** URL that is called when it ends */
  webhook_url: string | null;
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** The creator */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** When its first item was sent to the workers */
  started_at: string | null;
  /** When items that have not started expire; a retry moves it. Null: never */
  expires_at: string | null;
  /** Time of its end; null: not ended */
  finished_at: string | null;
  /** URLs of related requests */
  urls: {
    /** The record itself (GET) */
    self: string;
    /** Streams its events (GET) */
    events: string;
    /** Lists its items (GET) */
    items: string;
    /** Streams its results (GET) */
    results: string;
    /** Cancels it (POST) */
    cancel: string;
    /** Runs it again (POST) */
    retry: string;
  };
}

export interface BatchCounts {
  /** Total */
  total: number;
  /** Not yet sent to the workers */
  waiting: number;
  /** How many are waiting for a worker */
  queued: number;
  /** How many are running */
  running: number;
  /** Wait for decisions about tool calls, with `POST /jobs/{id}/actions` */
  requires_action: number;
  /** How many succeeded */
  succeeded: number;
  /** How many failed */
  failed: number;
  /** How many were cancelled */
  cancelled: number;
  /** Never run, since an item it depends on did not succeed */
  skipped: number;
  /** Not started before `expires_at` */
  expired: number;
}

export interface BatchFrame {
  /** Distinguishes the alternatives */
  type: 'batch.progress' | 'batch.completed' | 'batch.cancelled';
  /** The batch as it is now */
  batch: Batch;
}

export interface BatchItem {
  /** Its id */
  id: string;
  /** Names the type of this object */
  object: 'batch.item';
  /** Its index in the batch, from 0 */
  index: number;
  /** The kind of work, or of the file */
  kind: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription';
  /** Its state */
  status: 'waiting' | 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelled' | 'skipped' | 'expired';
  /** `next_cursor` of the previous page. Default: the first page */
  after: string[];
  /** Its latest execution */
  execution_id: string | null;
  /** Why it failed, expired, or was skipped */
  error: Error | null;
  /** Time of its end; null: not ended */
  finished_at: string | null;
}

export interface BatchItemRequest {
  /** Unique within the batch. Default: its index, from 0 */
  id?: string | undefined;
  /** The kind of work, or of the file */
  kind?: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription' | undefined;
  /** The request body of its kind. If the item comes `after` others, `{"$from": "<id>", "path": "output.0.asset.id"}` can replace any value, and `{{<id>.output.0.text}}` can be part of any text */
  body?: Record<string, unknown> | undefined;
  /** Items that must succeed first */
  after?: string[] | undefined;
}

export interface BatchResult {
  /** Send it as `after` to continue after this line */
  cursor: string;
  /** Id of the item in its batch */
  item_id: string;
  /** Position, from 0 */
  index: number;
  /** The kind of work, or of the file */
  kind: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription';
  /** Its state */
  status: 'succeeded' | 'failed' | 'cancelled' | 'skipped' | 'expired';
  /** What went wrong; null: nothing */
  error: Error | null;
  /** Null: none was started, or it was deleted */
  execution: Execution | null;
}

export interface ChatExecution {
  /** `job_…` */
  id: string;
  /** Names the type of this object */
  object: 'chat.completion';
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `provider/model` */
  model: string | null;
  /** The provider of the model */
  provider: string | null;
  /** The results: texts, files, calls, citations */
  output: OutputItem[];
  /** Progress so far; null: unknown */
  progress: Progress | null;
  /** With status `queued`: the provider that it waits for. Null: none */
  waiting_for: {
    /** Why */
    reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit';
    /** The provider of the model */
    provider: string;
    /** When the next call is tried. Null: unknown, or when an operator acts */
    until: string | null;
  } | null;
  /** With status `requires_action` */
  required_action: RequiredAction | null;
  /** Tokens, images, seconds, and cost; null: unknown */
  usage: {
    /** Input tokens */
    input_tokens: number;
    /** Output tokens, including reasoning */
    output_tokens: number;
    /** Input and output tokens */
    total_tokens: number;
    /** Cost in US dollars; null: unknown */
    cost_usd: number | null;
    /** Input tokens that came from the provider's cache */
    cached_input_tokens: number;
    /** Output tokens of the reasoning */
    reasoning_tokens: number;
    /** Audio tokens of the input */
    audio_input_tokens?: number | undefined;
    /** Audio tokens of the output */
    audio_output_tokens?: number | undefined;
    /** Whether some of it is an upper estimate, since work ended before its provider reported it */
    estimated?: boolean | undefined;
    /** Input tokens */
    prompt_tokens: number;
    /** Output tokens */
    completion_tokens: number;
    /** Input tokens by kind */
    prompt_tokens_details: {
      /** Input tokens that the provider had cached */
      cached_tokens: number;
      /** Audio tokens */
      audio_tokens: number;
    };
    /** Output tokens by kind */
    completion_tokens_details: {
      /** Output tokens of reasoning */
      reasoning_tokens: number;
      /** Audio tokens */
      audio_tokens: number;
    };
  };
  /** For a turn of a session, once it runs, and for one whose results of tools did not fit */
  context: ConversationContext | null;
  /** Parts of the request that were ignored or changed, such as a seed that the model does not support */
  warnings: string[];
  /** What went wrong; null: nothing */
  error: Error | null;
  /** 1, or more after another worker took over */
  attempt: number;
  /** `job_…`: the execution that this one retries; null: none */
  retry_of: string | null;
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** The assistant's message that this execution writes */
  message_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** The user who started it */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of its start; null: not started */
  started_at: string | null;
  /** Time of its end; null: not ended */
  finished_at: string | null;
  /** URLs of related requests */
  urls: {
    /** The record itself (GET) */
    self: string;
    /** Streams its events (GET) */
    events: string;
    /** Cancels it (POST) */
    cancel: string;
    /** Its trace, where `TRACE_URL_TEMPLATE` is set */
    trace?: string | undefined;
  };
  /** Unix seconds */
  created: number;
  /** Alternative answers */
  choices: {
    /** Position, from 0 */
    index: number;
    /** The answer */
    message: {
      /** Author of the message, or role of the member */
      role: 'assistant';
      /** The text or its parts */
      content: string | null;
      /** Why the model declined; null: it did not */
      refusal: string | null;
      /** Reasoning that the model showed */
      reasoning_content?: string | undefined;
      /** The provider’s signature of the reasoning, to be sent back */
      reasoning_signature?: string | undefined;
      /** Reasoning as the provider returned it, to be sent back */
      reasoning_blocks?: ReasoningBlock[] | undefined;
      /** Calls of tools */
      tool_calls?: ToolCallOutput[] | undefined;
    };
    /** Why the answer ended; null: it has not */
    finish_reason: string | null;
    /** Whether to return the probability of each token */
    logprobs: {
      /** The text or its parts */
      content: TokenLogprob[] | null;
      /** Why the model declined; null: it did not */
      refusal: TokenLogprob[] | null;
    } | null;
  }[];
}

export type ChatMessage = {
  /** Author of the message, or role of the member */
  role: 'system' | 'developer';
  /** The text or its parts */
  content: string | {
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  }[];
  /** Its name */
  name?: string | null | undefined;
} | {
  /** Author of the message, or role of the member */
  role: 'user';
  /** The text or its parts */
  content: string | ({
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  } | {
    /** Distinguishes the alternatives */
    type: 'image_url';
    /** URL of an image, which may be a `data:` URL */
    image_url: {
      /** A `data:` URL, an address, or the id of an asset */
      url: string;
      /** `original` has the effect of `high` */
      detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
    };
  } | {
    /** Distinguishes the alternatives */
    type: 'input_audio';
    /** Sound, in base64 */
    input_audio: {
      /** base64, or the id of an asset */
      data: string;
      /** Format of the content */
      format: 'wav' | 'mp3';
    };
  } | {
    /** Distinguishes the alternatives */
    type: 'file';
    /** The file, with a file name */
    file: {
      /** A `data:` URL, or base64 of a PDF */
      file_data?: string | null | undefined;
      /** An uploaded file, or an asset of the scope */
      file_id?: string | null | undefined;
      /** Name of the file */
      filename?: string | null | undefined;
    };
  })[];
  /** Its name */
  name?: string | null | undefined;
} | {
  /** Author of the message, or role of the member */
  role: 'assistant';
  /** The text or its parts */
  content?: string | ({
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  } | {
    /** Distinguishes the alternatives */
    type: 'refusal';
    /** Why the model declined; null: it did not */
    refusal: string;
  })[] | null | undefined;
  /** Why the model declined; null: it did not */
  refusal?: string | null | undefined;
  /** Reasoning that the model showed */
  reasoning_content?: string | null | undefined;
  /** Opaque data of the provider that belongs to the reasoning */
  reasoning_signature?: string | null | undefined;
  /** The reasoning, if it has several signatures. It replaces `reasoning_content`. */
  reasoning_blocks?: ReasoningBlock[] | null | undefined;
  /** Calls of tools */
  tool_calls?: ToolCallOutput[] | null | undefined;
  /** Its name */
  name?: string | null | undefined;
} | {
  /** Author of the message, or role of the member */
  role: 'tool';
  /** The text or its parts */
  content: string | {
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  }[];
  /** Id of the call */
  tool_call_id: string;
};

export interface Citation {
  /** Distinguishes the alternatives */
  type: 'citation';
  /** The answer contains it as `[marker]` */
  marker: number;
  /** `kno_…` */
  entry_id: string;
  /** Id of the passage */
  chunk_id: string;
  /** The entry's title at the time */
  title: string;
  /** Headings above it, from the outermost */
  heading_path: string[];
  /** From 1; null for documents without pages */
  page: number | null;
  /** Verbatim text of the chunk */
  quote: string;
  /** Relevance to the question, 0 to 1 */
  score: number;
}

export interface ConversationContext {
  /** Number of messages */
  messages: number;
  /** Estimated number of tokens */
  estimated_tokens: number;
  /** Whether older messages were left out because they did not fit */
  dropped: boolean;
  /** Results of tools that did not fit. Absent: the model saw all of them */
  tool_results?: {
    /** Number of results that the model saw in part */
    cut: number;
    /** Number of results that were left out */
    dropped: number;
    /** Estimated */
    tokens_left_out: number;
  } | undefined;
}

export type ConversationMessage = {
  /** Author of the message, or role of the member */
  role: 'system' | 'developer';
  /** The text or its parts */
  content: string | {
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  }[];
  /** Its name */
  name?: string | null | undefined;
} | {
  /** Author of the message, or role of the member */
  role: 'user';
  /** The text or its parts */
  content: string | ({
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  } | {
    /** Distinguishes the alternatives */
    type: 'image_url';
    /** URL of an image, which may be a `data:` URL */
    image_url: {
      /** A `data:` URL, an address, or the id of an asset */
      url: string;
      /** `original` has the effect of `high` */
      detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
    };
  } | {
    /** Distinguishes the alternatives */
    type: 'input_audio';
    /** Sound, in base64 */
    input_audio: {
      /** base64, or the id of an asset */
      data: string;
      /** Format of the content */
      format: 'wav' | 'mp3';
    };
  } | {
    /** Distinguishes the alternatives */
    type: 'file';
    /** The file, with a file name */
    file: {
      /** A `data:` URL, or base64 of a PDF */
      file_data?: string | null | undefined;
      /** An uploaded file, or an asset of the scope */
      file_id?: string | null | undefined;
      /** Name of the file */
      filename?: string | null | undefined;
    };
  })[];
  /** Its name */
  name?: string | null | undefined;
} | {
  /** Author of the message, or role of the member */
  role: 'assistant';
  /** The text or its parts */
  content?: string | ({
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  } | {
    /** Distinguishes the alternatives */
    type: 'refusal';
    /** Why the model declined; null: it did not */
    refusal: string;
  })[] | null | undefined;
  /** Why the model declined; null: it did not */
  refusal?: string | null | undefined;
  /** Reasoning that the model showed */
  reasoning_content?: string | null | undefined;
  /** Opaque data of the provider that belongs to the reasoning */
  reasoning_signature?: string | null | undefined;
  /** The reasoning, if it has several signatures. It replaces `reasoning_content`. */
  reasoning_blocks?: ReasoningBlock[] | null | undefined;
  /** Calls of tools */
  tool_calls?: ToolCall[] | null | undefined;
  /** Its name */
  name?: string | null | undefined;
} | {
  /** Author of the message, or role of the member */
  role: 'tool';
  /** The text or its parts */
  content: string | {
    /** Distinguishes the alternatives */
    type: 'text';
    /** The text */
    text: string;
  }[];
  /** Id of the call */
  tool_call_id: string;
} | {
  /** Author of the message, or role of the member */
  role: 'function';
  /** The text or its parts */
  content?: unknown | undefined;
};

export interface CreatedApiKey {
  /** `key_…` */
  id: string;
  /** Names the type of this object */
  object: 'api_key';
  /** Its name */
  name: string;
  /** Start of the key, to recognize it by */
  prefix: string;
  /** Its state */
  status: 'active' | 'disabled' | 'revoked';
  /** What an API key may do */
  permissions: ('read' | 'write' | 'run' | 'manage' | 'operator')[];
  /** The workspace; null: personal */
  workspace_id: string | null;
  /** Requests per minute */
  rate_limit: number | null;
  /** Time after which it is no longer valid; null: never */
  expires_at: string | null;
  /** Accurate to about a minute */
  last_used_at: string | null;
  /** Time of creation */
  created_at: string;
  /** The key, `chk_…`. Shown only once */
  secret: string;
}

export interface CreatedInvitation {
  /** `inv_…` */
  id: string;
  /** Names the type of this object */
  object: 'invitation';
  /** The workspace; null: personal */
  workspace_id: string;
  /** Email address */
  email: string;
  /** Author of the message, or role of the member */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** `usr_…` */
  invited_by: string;
  /** Whether it can be accepted by creating an account. If not, only users with an account can accept. */
  new_account: boolean;
  /** Time of creation */
  created_at: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string;
  /** The token to accept with. Shown only once; no mail is sent, so pass it on yourself */
  token: string;
}

export interface CreatedShare {
  /** `shr_…` */
  id: string;
  /** Names the type of this object */
  object: 'share';
  /** `ses_…`: the session; null: none */
  session_id: string;
  /** The session's title, which the link shows */
  title: string | null;
  /** Number of visible messages */
  message_count: number;
  /** Time of creation */
  created_at: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string | null;
  /** Gives access to `GET /shared/{token}`. Shown only once */
  token: string;
  /** The page that shows the conversation. Contains the token */
  url: string;
}

export interface CreatedUserInvitation {
  /** `inv_…` */
  id: string;
  /** Names the type of this object */
  object: 'user_invitation';
  /** Email address */
  email: string;
  /** `usr_…` */
  invited_by: string;
  /** Time of creation */
  created_at: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string;
  /** For `POST /invitations/accept`. Shown only once; no mail is sent, so pass it on yourself */
  token: string;
}

export interface Deletion {
  /** Its id */
  id: string;
  /** Names the type of this object */
  object: string;
  /** Whether it was deleted */
  deleted: true;
}

export interface Document {
  /** Distinguishes the alternatives */
  type: 'document';
  /** The document's own title, or its file name */
  title: string | null;
  /** Media type of the content */
  mime_type: string;
  /** Null for documents without pages */
  page_count: number | null;
  /** Length of the text of the requested pages */
  total_chars: number;
  /** Position in the text, in characters */
  offset: number;
  /** Where to continue. Null: the text ends here */
  next_offset: number | null;
}

export interface Embeddings {
  /** Distinguishes the alternatives */
  type: 'embeddings';
  /** How many there are */
  count: number;
  /** Numbers per vector */
  dimensions: number;
  /** The vectors one after another: 32-bit floats, little-endian, in base64. Null beyond 256 KB: then they are in the `asset` item, a NumPy file (`.npy`). */
  data: string | null;
}

export interface Error {
  /** Stable name of the error. Branch on it. */
  code: string;
  /** Explanation for people */
  message: string;
  /** HTTP status */
  status: number;
  /** Errors in the request, each with the path of its field */
  details: {
    /** Path of the field */
    path: string;
    /** Explanation for people */
    message: string;
  }[];
  /** Identifies the request in the logs */
  request_id: string | null;
  /** Seconds after which a retry may succeed */
  retry_after_s?: number | undefined;
  /** Page that explains the error */
  docs?: string | undefined;
}

export interface Execution {
  /** `job_…` */
  id: string;
  /** `execution`, or `chat.completion` for requests that OpenAI clients read */
  object: string;
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `provider/model` */
  model: string | null;
  /** The provider of the model */
  provider: string | null;
  /** The results: texts, files, calls, citations */
  output: OutputItem[];
  /** Progress so far; null: unknown */
  progress: Progress | null;
  /** With status `queued`: the provider that it waits for. Null: none */
  waiting_for: {
    /** Why */
    reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit';
    /** The provider of the model */
    provider: string;
    /** When the next call is tried. Null: unknown, or when an operator acts */
    until: string | null;
  } | null;
  /** With status `requires_action` */
  required_action: RequiredAction | null;
  /** Tokens, images, seconds, and cost; null: unknown */
  usage: {
    /** Input tokens */
    input_tokens: number;
    /** Output tokens, including reasoning */
    output_tokens: number;
    /** Input and output tokens */
    total_tokens: number;
    /** Cost in US dollars; null: unknown */
    cost_usd: number | null;
    /** Input tokens that came from the provider's cache */
    cached_input_tokens: number;
    /** Output tokens of the reasoning */
    reasoning_tokens: number;
    /** Audio tokens of the input */
    audio_input_tokens?: number | undefined;
    /** Audio tokens of the output */
    audio_output_tokens?: number | undefined;
    /** Whether some of it is an upper estimate, since work ended before its provider reported it */
    estimated?: boolean | undefined;
  };
  /** For a turn of a session, once it runs, and for one whose results of tools did not fit */
  context: ConversationContext | null;
  /** Parts of the request that were ignored or changed, such as a seed that the model does not support */
  warnings: string[];
  /** What went wrong; null: nothing */
  error: Error | null;
  /** 1, or more after another worker took over */
  attempt: number;
  /** `job_…`: the execution that this one retries; null: none */
  retry_of: string | null;
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** The assistant's message that this execution writes */
  message_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** The user who started it */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of its start; null: not started */
  started_at: string | null;
  /** Time of its end; null: not ended */
  finished_at: string | null;
  /** URLs of related requests */
  urls: {
    /** The record itself (GET) */
    self: string;
    /** Streams its events (GET) */
    events: string;
    /** Cancels it (POST) */
    cancel: string;
    /** Its trace, where `TRACE_URL_TEMPLATE` is set */
    trace?: string | undefined;
  };
}

export type FeedFrame = {
  /** Distinguishes the alternatives */
  type: 'events.opened';
} | {
  /** Distinguishes the alternatives */
  type: 'events.lost';
} | ({
  /** Distinguishes the alternatives */
  type: 'execution.queued';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** The model, `provider/model` */
  model: string | null;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.started';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** Number of the attempt, from 1 */
  attempt: number;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.progress';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** Progress so far; null: unknown */
  progress: Progress;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.cancelling';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.requires_action';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** Calls that wait for a decision; at most 20 */
  tool_calls: {
    /** Id of the call */
    tool_call_id: string;
    /** Its name */
    name: string;
  }[];
} | {
  /** Distinguishes the alternatives */
  type: 'execution.succeeded';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** The model, `provider/model` */
  model: string | null;
  /** Number of the attempt, from 1 */
  attempt: number;
  /** Run time; null: it never started */
  duration_ms: number | null;
  /** Tokens, images, seconds, and cost; null: unknown */
  usage: Usage;
  /** Item types of the output, such as `text`; at most 20 */
  output: string[];
  /** Assets in the output; at most 20 */
  asset_ids: string[];
  /** What went wrong; null: nothing */
  error: {
    /** Code of the error: branch on it */
    code: string;
    /** Explanation for people */
    message: string;
  } | null;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.failed';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** The model, `provider/model` */
  model: string | null;
  /** Number of the attempt, from 1 */
  attempt: number;
  /** Run time; null: it never started */
  duration_ms: number | null;
  /** Tokens, images, seconds, and cost; null: unknown */
  usage: Usage;
  /** Item types of the output, such as `text`; at most 20 */
  output: string[];
  /** Assets in the output; at most 20 */
  asset_ids: string[];
  /** What went wrong; null: nothing */
  error: {
    /** Code of the error: branch on it */
    code: string;
    /** Explanation for people */
    message: string;
  } | null;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.cancelled';
  /** `job_…`: the execution */
  execution_id: string;
  /** The kind of work, or of the file */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** The model, `provider/model` */
  model: string | null;
  /** Number of the attempt, from 1 */
  attempt: number;
  /** Run time; null: it never started */
  duration_ms: number | null;
  /** Tokens, images, seconds, and cost; null: unknown */
  usage: Usage;
  /** Item types of the output, such as `text`; at most 20 */
  output: string[];
  /** Assets in the output; at most 20 */
  asset_ids: string[];
  /** What went wrong; null: nothing */
  error: {
    /** Code of the error: branch on it */
    code: string;
    /** Explanation for people */
    message: string;
  } | null;
} | {
  /** Distinguishes the alternatives */
  type: 'batch.created';
  /** `bat_…`; null: not part of a batch */
  batch_id: string;
  /** Its state */
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  /** How many have each status */
  counts: BatchCounts;
} | {
  /** Distinguishes the alternatives */
  type: 'batch.progress';
  /** `bat_…`; null: not part of a batch */
  batch_id: string;
  /** Its state */
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  /** How many have each status */
  counts: BatchCounts;
} | {
  /** Distinguishes the alternatives */
  type: 'batch.completed';
  /** `bat_…`; null: not part of a batch */
  batch_id: string;
  /** Its state */
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  /** How many have each status */
  counts: BatchCounts;
} | {
  /** Distinguishes the alternatives */
  type: 'batch.cancelled';
  /** `bat_…`; null: not part of a batch */
  batch_id: string;
  /** Its state */
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  /** How many have each status */
  counts: BatchCounts;
} | {
  /** Distinguishes the alternatives */
  type: 'asset.created';
  /** `ast_…`: a stored file */
  asset_id: string;
  /** The kind of work, or of the file */
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  /** Media type of the content */
  mime_type: string;
  /** Size in bytes */
  size_bytes: number;
  /** `job_…`: the execution */
  execution_id: string | null;
} | {
  /** Distinguishes the alternatives */
  type: 'asset.deleted';
  /** `ast_…`: a stored file */
  asset_id: string;
} | {
  /** Distinguishes the alternatives */
  type: 'session.updated';
  /** `ses_…`: the session; null: none */
  session_id: string;
} | {
  /** Distinguishes the alternatives */
  type: 'session.deleted';
  /** `ses_…`: the session; null: none */
  session_id: string;
} | {
  /** Distinguishes the alternatives */
  type: 'folder.updated';
  /** `fld_…`; null: in no folder */
  folder_id: string;
} | {
  /** Distinguishes the alternatives */
  type: 'folder.deleted';
  /** `fld_…`; null: in no folder */
  folder_id: string;
}) & {
  /** Time of the event */
  time: string;
  /** `usr_…`: the user */
  user_id: string;
};

export interface Folder {
  /** `fld_…` */
  id: string;
  /** Names the type of this object */
  object: 'folder';
  /** Its name */
  name: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface FunctionTool {
  /** Distinguishes the alternatives */
  type: 'function';
  /** The function */
  function: {
    /** Its name */
    name: string;
    /** Tells models and people what it is for */
    description?: string | null | undefined;
    /** A JSON Schema */
    parameters?: Record<string, unknown> | null | undefined;
    /** Whether arguments must follow the schema exactly */
    strict?: boolean | null | undefined;
  };
}

export interface ImportedSession {
  /** Its place in the request, from 0 */
  index: number;
  /** `skipped`: it was imported before, or exists */
  status: 'imported' | 'skipped' | 'failed';
  /** Null: not recognized */
  format: 'chorus' | 'chatgpt' | 'librechat' | 'open-webui' | null;
  /** Its title */
  title: string | null;
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** Number of visible messages */
  message_count: number;
  /** Number of files in its messages, which are not imported */
  missing_files: number;
  /** What went wrong; null: nothing */
  error: {
    /** Path of the field */
    path: string;
    /** Explanation for people */
    message: string;
  } | null;
}

export interface Invitation {
  /** `inv_…` */
  id: string;
  /** Names the type of this object */
  object: 'invitation';
  /** The workspace; null: personal */
  workspace_id: string;
  /** Email address */
  email: string;
  /** Author of the message, or role of the member */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** `usr_…` */
  invited_by: string;
  /** Whether it can be accepted by creating an account. If not, only users with an account can accept. */
  new_account: boolean;
  /** Time of creation */
  created_at: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string;
}

export interface Job {
  /** `job_…` */
  id: string;
  /** `execution`, or `chat.completion` for requests that OpenAI clients read */
  object: string;
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `provider/model` */
  model: string | null;
  /** The provider of the model */
  provider: string | null;
  /** The results: texts, files, calls, citations */
  output: OutputItem[];
  /** Progress so far; null: unknown */
  progress: Progress | null;
  /** With status `queued`: the provider that it waits for. Null: none */
  waiting_for: {
    /** Why */
    reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit';
    /** The provider of the model */
    provider: string;
    /** When the next call is tried. Null: unknown, or when an operator acts */
    until: string | null;
  } | null;
  /** With status `requires_action` */
  required_action: RequiredAction | null;
  /** Tokens, images, seconds, and cost; null: unknown */
  usage: {
    /** Input tokens */
    input_tokens: number;
    /** Output tokens, including reasoning */
    output_tokens: number;
    /** Input and output tokens */
    total_tokens: number;
    /** Cost in US dollars; null: unknown */
    cost_usd: number | null;
    /** Input tokens that came from the provider's cache */
    cached_input_tokens: number;
    /** Output tokens of the reasoning */
    reasoning_tokens: number;
    /** Audio tokens of the input */
    audio_input_tokens?: number | undefined;
    /** Audio tokens of the output */
    audio_output_tokens?: number | undefined;
    /** Whether some of it is an upper estimate, since work ended before its provider reported it */
    estimated?: boolean | undefined;
  };
  /** For a turn of a session, once it runs, and for one whose results of tools did not fit */
  context: ConversationContext | null;
  /** Parts of the request that were ignored or changed, such as a seed that the model does not support */
  warnings: string[];
  /** What went wrong; null: nothing */
  error: Error | null;
  /** 1, or more after another worker took over */
  attempt: number;
  /** `job_…`: the execution that this one retries; null: none */
  retry_of: string | null;
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** The assistant's message that this execution writes */
  message_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** The user who started it */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of its start; null: not started */
  started_at: string | null;
  /** Time of its end; null: not ended */
  finished_at: string | null;
  /** URLs of related requests */
  urls: {
    /** The record itself (GET) */
    self: string;
    /** Streams its events (GET) */
    events: string;
    /** Cancels it (POST) */
    cancel: string;
    /** Its trace, where `TRACE_URL_TEMPLATE` is set */
    trace?: string | undefined;
  };
  /** What it is about: its prompt, question, or file, or the title of its session. Null: unknown */
  subject: string | null;
}

export interface Kind {
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  /** Names the type of this object */
  object: 'kind';
  /** Display name */
  label: string;
  /** The part of the API that it belongs to; null: none */
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  /** Pool of workers that runs it */
  pool: 'text' | 'media' | 'vision' | 'knowledge' | 'voice';
  /** Whether batches may contain it */
  batchable: boolean;
  /** Path of its route: `POST` the request */
  path: string;
  /** Fields of its request */
  fields: {
    /** Name of the field */
    name: string;
    /** Distinguishes the alternatives */
    type: 'text' | 'number' | 'flag' | 'list' | 'object';
    /** Whether it must be given */
    required: boolean;
  }[];
}

export interface KnowledgeChunk {
  /** Its id */
  id: string;
  /** Names the type of this object */
  object: 'knowledge.chunk';
  /** `kno_…`: the document */
  entry_id: string;
  /** Increases with every change */
  revision: number;
  /** The entry's title */
  title: string;
  /** The text */
  text: string;
  /** The headings above it, outermost first */
  heading_path: string[];
  /** Its first page, from 1; null for documents without pages */
  page: number | null;
  /** Its index in the document, from 0 */
  position: number;
  /** 0 to 1, comparable within one search; null without a search */
  score: number | null;
}

export interface KnowledgeCreated {
  /** `kno_…` */
  id: string;
  /** Names the type of this object */
  object: 'knowledge.entry';
  /** Its title */
  title: string;
  /** Where it came from */
  source: KnowledgeSource;
  /** Of the latest revision */
  status: 'processing' | 'ready' | 'failed';
  /** The current stage, or the one that failed */
  stage: 'fetching' | 'parsing' | 'chunking' | 'embedding' | 'indexing' | null;
  /** With status `processing`: the provider that its ingestion waits for. Null: none */
  waiting_for: {
    /** Why */
    reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit';
    /** The provider of the model */
    provider: string;
    /** When the next call is tried. Null: unknown, or when an operator acts */
    until: string | null;
  } | null;
  /** What went wrong; null: nothing */
  error: Error | null;
  /** Keywords for finding it */
  tags: string[];
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** Size of the source; null until it has been downloaded */
  size_bytes: number | null;
  /** Hash of the source, in hexadecimal */
  sha256: string | null;
  /** For documents with pages */
  page_count: number | null;
  /** Chunks that can be searched: those of `searchable_revision` */
  chunk_count: number;
  /** Increases with every new content. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** The revision that searches use: the previous one while a new one is processed or has failed. Null: none yet */
  searchable_revision: number | null;
  /** `provider/model` of the embeddings */
  embedding_model: string | null;
  /** The latest ingestion */
  execution_id: string | null;
  /** Parts of the document that could not be read */
  warnings: string[];
  /** Of a document for a conversation: the sessions that use it. Only its creator sees it. Null: the scope shares it */
  session_ids: string[] | null;
  /** The creator */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
  /** Whether the scope already had this content. Then this is the existing entry */
  duplicate: boolean;
}

export interface KnowledgeEntry {
  /** `kno_…` */
  id: string;
  /** Names the type of this object */
  object: 'knowledge.entry';
  /** Its title */
  title: string;
  /** Where it came from */
  source: KnowledgeSource;
  /** Of the latest revision */
  status: 'processing' | 'ready' | 'failed';
  /** The current stage, or the one that failed */
  stage: 'fetching' | 'parsing' | 'chunking' | 'embedding' | 'indexing' | null;
  /** With status `processing`: the provider that its ingestion waits for. Null: none */
  waiting_for: {
    /** Why */
    reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit';
    /** The provider of the model */
    provider: string;
    /** When the next call is tried. Null: unknown, or when an operator acts */
    until: string | null;
  } | null;
  /** What went wrong; null: nothing */
  error: Error | null;
  /** Keywords for finding it */
  tags: string[];
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** Size of the source; null until it has been downloaded */
  size_bytes: number | null;
  /** Hash of the source, in hexadecimal */
  sha256: string | null;
  /** For documents with pages */
  page_count: number | null;
  /** Chunks that can be searched: those of `searchable_revision` */
  chunk_count: number;
  /** Increases with every new content. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** The revision that searches use: the previous one while a new one is processed or has failed. Null: none yet */
  searchable_revision: number | null;
  /** `provider/model` of the embeddings */
  embedding_model: string | null;
  /** The latest ingestion */
  execution_id: string | null;
  /** Parts of the document that could not be read */
  warnings: string[];
  /** Of a document for a conversation: the sessions that use it. Only its creator sees it. Null: the scope shares it */
  session_ids: string[] | null;
  /** The creator */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export type KnowledgeSource = {
  /** Distinguishes the alternatives */
  type: 'text';
  /** Format of the content */
  format: 'text' | 'markdown' | 'html';
} | {
  /** Distinguishes the alternatives */
  type: 'url';
  /** Its URL */
  url: string;
  /** Media type of the content */
  mime_type: string | null;
} | {
  /** Distinguishes the alternatives */
  type: 'file';
  /** The uploaded file */
  asset_id: string;
  /** Name of the file */
  filename: string | null;
  /** Media type of the content */
  mime_type: string;
  /** The file existed before and outlives the entry */
  kept?: true | undefined;
};

export interface KnowledgeUploaded {
  /** Names the type of this object */
  object: 'list';
  /** In the order of the files */
  data: KnowledgeCreated[];
  /** Refused files, which can be sent again */
  failed: {
    /** Name of the file */
    filename: string | null;
    /** What went wrong; null: nothing */
    error: Error;
  }[];
}

export interface Lane {
  /** `provider/model` */
  lane: string;
  /** Names the type of this object */
  object: 'lane';
  /** The provider of the model */
  provider: string;
  /** The model, `provider/model` */
  model: string;
  /** Calls that may run at once, as learned from the answers of the provider */
  limit: number;
  /** The limit that `<PROVIDER>_MAX_CONCURRENCY` or `MODEL_MAX_CONCURRENCY` sets. Null: none */
  set_limit: number | null;
  /** Calls in flight, over all processes */
  in_use: number;
  /** Jobs that wait for the lane, over all queues. They hold no worker */
  waiting: number;
  /** How long the oldest job has waited. Null: none is waiting */
  oldest_waiting_ms: number | null;
  /** Calls of about the last minute that the provider accepted */
  accepted: number;
  /** Calls of about the last minute that the provider refused with "slow down" */
  refused: number;
  /** Calls of about the last minute that failed since the provider did not answer */
  failed: number;
  /** Why calls wait. `busy`: the limit is used. `slow_down`: the provider limits the rate. `away`: it does not answer. `key` and `credit`: it refused the key, or no credit is left, so the lane is stopped. Null: calls start at once */
  reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit' | null;
  /** When the reason began */
  since: string | null;
  /** When the next call is tried. Null: now, or when an operator resumes it */
  until: string | null;
  /** Whether single calls test if the provider is back */
  half_open: boolean;
}

export interface ListedUser {
  /** `usr_…` */
  id: string;
  /** Names the type of this object */
  object: 'user';
  /** Email address */
  email: string;
  /** May operate the platform: see queues, manage users and providers */
  operator: boolean;
  /** Time of creation */
  created_at: string;
  /** Time since which it is disabled; null: it is enabled */
  disabled_at: string | null;
}

export interface LoginSession {
  /** `lgn_…` */
  id: string;
  /** Names the type of this object */
  object: 'login';
  /** Whether this request uses it */
  current: boolean;
  /** IP address of its last use */
  address: string | null;
  /** Browser or program of its last use */
  user_agent: string | null;
  /** Time of creation */
  created_at: string;
  /** When its tokens were last refreshed */
  last_used_at: string;
  /** When it ends unless it is used */
  expires_at: string;
}

export interface McpServer {
  /** `mcp_…` */
  id: string;
  /** Names the type of this object */
  object: 'mcp_server';
  /** Its name */
  name: string;
  /** Endpoint of streamable HTTP. Private hosts need `OUTBOUND_ALLOW` */
  url: string;
  /** Names of tools that agents may use; null: all */
  allowed_tools: string[] | null;
  /** Agents get no tools from a disabled server */
  enabled: boolean;
  /** Calls that need approval whatever the `approval` of an agent is. `writes`: those that are not read-only */
  min_approval: 'never' | 'writes' | 'always';
  /** Names of the stored headers */
  header_names: string[];
  /** The user who registered it */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface McpServerTools {
  /** Names the type of this object */
  object: 'list';
  /** The entries */
  data: {
    /** Its name */
    name: string;
    /** The server's description, which is not trusted */
    description: string;
    /** JSON schema of the arguments */
    parameters: Record<string, unknown>;
    /** `read`: nothing. `idempotent`: repeating a call changes nothing more. `write`: anything */
    effect: 'read' | 'idempotent' | 'write';
    /** Whether `allowed_tools` allows it */
    allowed: boolean;
  }[];
}

export interface Member {
  /** The user's id, `usr_…` */
  id: string;
  /** Names the type of this object */
  object: 'member';
  /** The workspace; null: personal */
  workspace_id: string;
  /** Email address */
  email: string;
  /** Author of the message, or role of the member */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** Member since */
  created_at: string;
}

export interface Message {
  /** `msg_…` */
  id: string;
  /** Names the type of this object */
  object: 'message';
  /** `ses_…`: the session; null: none */
  session_id: string;
  /** Author of the message, or role of the member */
  role: 'user' | 'assistant' | 'tool';
  /** With role `tool`: the result of a tool call */
  content: string;
  /** Increases with every edit and undo. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** The revision that `content` is from: an undo returns to an earlier one */
  effective_revision: number;
  /** The `effective_revision` of the question that this answers. If the question's differs, it has changed since. Null: unknown, or not an answer */
  question_revision: number | null;
  /** Of an answer that was regenerated. `POST /messages/{message_id}/restore` makes another one current. */
  version: {
    /** The message that all of them answer */
    question_id: string;
    /** From 1, oldest first */
    number: number;
    /** How many there are */
    count: number;
    /** The previous version; null: this is the first */
    previous_id: string | null;
    /** The next version; null: this is the latest */
    next_id: string | null;
  } | null;
  /** An assistant's message has its execution's status; a user's is `succeeded` */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `job_…`: the execution */
  execution_id: string | null;
  /** The execution that regenerated an earlier answer, or the version (`msg_…`) that was restored in its place: this message is no longer part of the conversation */
  superseded_by: string | null;
  /** Sources of the answer */
  citations: Citation[];
  /** Reasoning of the answer, as far as the provider shows it */
  reasoning_content: string | null;
  /** Calls that the answer requests. `tool_outputs` continues the turn. */
  tool_calls: ToolCallOutput[];
  /** Steps of an agent before its answer. `content` includes their text. */
  steps: MessageStep[];
  /** Problems that did not stop the answer, such as tools that were unavailable */
  warnings: string[];
  /** With role `tool`: the call that it answers */
  tool_call_id: string | null;
  /** Ids of images (`ast_…`) and documents (`kno_…`) */
  attachments: string[];
  /** For spoken answers */
  voice: MessageVoice | null;
  /** `provider/model` that wrote the answer. Null: unknown, or not an answer */
  model: string | null;
  /** Run time of the answer. Null: unknown, or not an answer */
  duration_ms: number | null;
  /** Tokens, images, seconds, and cost; null: unknown */
  usage: Usage | null;
  /** The user's rating of the answer */
  rating: 'up' | 'down' | null;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface MessageRevision {
  /** Names the type of this object */
  object: 'message.revision';
  /** `msg_…`: the message */
  message_id: string;
  /** Increases with every change */
  revision: number;
  /** `restored`: an answer to this text was restored; `restarted`: the turn ran again and the answer started over; `interrupted`: the spoken answer was cut to what was played */
  action: 'created' | 'edited' | 'undone' | 'restored' | 'restarted' | 'interrupted';
  /** The text or its parts */
  content: string;
  /** Citations in its content */
  citations: Citation[];
  /** With `undone` and `restored`: the revision whose text is back */
  restores: number | null;
  /** The editor; null: the model */
  user_id: string | null;
  /** The execution that wrote it, if the model did */
  execution_id: string | null;
  /** Time of creation */
  created_at: string;
}

export interface MessageStep {
  /** The text or its parts */
  content: string;
  /** Calls of tools */
  tool_calls: {
    /** Its id */
    id: string;
    /** Its name */
    name: string;
    /** JSON, as the model wrote it. It may be invalid. */
    arguments: string;
    /** `requested`: you run it. Others run on the server. `unknown`: it was interrupted and may have had an effect */
    status: 'requested' | 'awaiting_approval' | 'running' | 'succeeded' | 'failed' | 'denied' | 'unknown';
    /** What the model received */
    result: string | null;
    /** Time of its start; null: not started */
    started_at?: string | null | undefined;
    /** Time of its end; null: not ended */
    finished_at?: string | null | undefined;
  }[];
}

export interface MessageVoice {
  /** `provider/model` that transcribed the question; null: it was text */
  transcription_model: string | null;
  /** Language of the question, if the model reports it */
  language: string | null;
  /** `provider/model` that spoke */
  speech_model: string | null;
  /** Null: the model's default voice */
  voice: string | null;
  /** Length of the generated audio */
  spoken_ms: number;
  /** How much of the audio was played; null: unknown, as over HTTP */
  heard_ms: number | null;
  /** Whether the user interrupted: the message is cut to what was played */
  interrupted: boolean;
  /** Cost of transcription and speech, without the answer itself; null: unknown price */
  cost_usd: number | null;
  /** The steps and their durations */
  stages: {
    /** Milliseconds from the start of the turn until the question was transcribed; null: it never happened */
    transcribed_ms: number | null;
    /** Milliseconds from the start of the turn until the first word of the answer; null: it never happened */
    first_text_ms: number | null;
    /** Milliseconds from the start of the turn until the first audio; null: it never happened */
    first_audio_ms: number | null;
    /** Milliseconds from the start of the turn until the last word; null: it never happened */
    text_ms: number | null;
    /** Milliseconds from the start of the turn until the last audio was generated; null: it never happened */
    audio_ms: number | null;
  };
}

export interface Model {
  /** `provider/model` */
  id: string;
  /** Names the type of this object */
  object: 'model';
  /** Unix time in seconds */
  created: number;
  /** The provider */
  owned_by: string;
  /** What the model can do */
  capabilities: ('chat' | 'embedding' | 'image' | 'ocr' | 'upscale' | 'vision' | 'video' | 'speech' | 'transcription')[];
  /** Maximum tokens of a conversation; null: unknown */
  context_window: number | null;
  /** Fields of a request that this model refuses, single values such as `response_format.json_object`, and the parts `input_audio` and `file` */
  unsupported_settings?: string[] | undefined;
  /** Fields of a chat request that this model ignores; responses list them in `X-Ignored-Fields` */
  ignored_settings?: string[] | undefined;
  /** For speech models, if known */
  speech_options?: {
    /** Whether it follows `instructions`; otherwise it ignores them */
    instructions: boolean;
    /** Values of `speed`; null: only 1 */
    speed: {
      /** Smallest value */
      min: number;
      /** Largest value */
      max: number;
    } | null;
  } | undefined;
  /** For transcription models, if known */
  transcription_options?: {
    /** ISO 639; null: no list is known */
    languages: string[] | null;
    /** Whether it takes a `prompt` */
    prompt: boolean;
    /** Whether it takes a `temperature`; otherwise it ignores it */
    temperature: boolean;
    /** Which times it reports */
    timestamps: ('segment' | 'word')[];
    /** Whether it can translate into English */
    translates: boolean;
  } | undefined;
  /** Whether its costs are known. If not, budgets do not count them. Built-in models are free. */
  price_known?: boolean | undefined;
  /** Why it cannot run here, and what to install. Requests for it fail with `feature_unavailable`. */
  unavailable?: string | undefined;
}

export interface ModelSettings {
  /** Names the type of this object */
  object: 'model_settings';
  /** Default models by use */
  defaults: {
    /** Default model of chats */
    chat: {
      /** The model, `provider/model` */
      model: string | null;
      /** `environment`: a variable, which takes precedence; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    /** Default model of images */
    image: {
      /** The model, `provider/model` */
      model: string | null;
      /** `environment`: a variable, which takes precedence; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    /** Default model of videos */
    video: {
      /** The model, `provider/model` */
      model: string | null;
      /** `environment`: a variable, which takes precedence; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    /** Default model of speech */
    speech: {
      /** The model, `provider/model` */
      model: string | null;
      /** `environment`: a variable, which takes precedence; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    /** Default model of transcription */
    transcription: {
      /** The model, `provider/model` */
      model: string | null;
      /** `environment`: a variable, which takes precedence; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
  };
  /** Models to use when one fails */
  fallbacks: {
    /** Models, each with its fallbacks */
    chains: string[][];
    /** `environment`: a variable, which takes precedence; `automatic`: the first model that can do it */
    source: 'environment' | 'stored' | 'automatic';
  };
}

export interface OcrResult {
  /** Distinguishes the alternatives */
  type: 'ocr';
  /** Text of all pages, as far as it fits */
  markdown: string;
  /** In order, as many as fit */
  pages: {
    /** From 1 */
    number: number;
    /** Of the upright page: pixels for images, points (1/72 inch) for PDF pages */
    width: number;
    /** Height in pixels */
    height: number;
    /** Degrees clockwise by which the displayed page was rotated about its center to be upright. Sizes and boxes are those after it. Other values than multiples of 90 straighten a skewed page, and keep its size */
    rotation: number;
    /** Whether the text was embedded in the file, or read from its image */
    source: 'text_layer' | 'image';
    /** The text */
    text: string;
    /** The text as Markdown */
    markdown: string;
    /** 0 to 1; null if the text was not recognized by OCR, or the engine reports none */
    confidence: number | null;
    /** Script that the page seems to be written in, if none of the `languages` is: for example `Han` */
    script?: string | undefined;
    /** In reading order. Null: too many to include here (the asset has them), or a vision model read the page, which reports no positions */
    lines: {
      /** The text */
      text: string;
      /** Rectangle around it, in pixels */
      box: {
        /** Distance from the left, in pixels */
        x: number;
        /** Distance from the top, in pixels */
        y: number;
        /** Width in pixels */
        width: number;
        /** Height in pixels */
        height: number;
      };
      /** 0 to 1; null if the text was not recognized by OCR, or the engine reports none */
      confidence: number | null;
      /** The words, with their rectangles or times */
      words: {
        /** The text */
        text: string;
        /** Rectangle around it, in pixels */
        box: {
          /** Distance from the left, in pixels */
          x: number;
          /** Distance from the top, in pixels */
          y: number;
          /** Width in pixels */
          width: number;
          /** Height in pixels */
          height: number;
        };
        /** 0 to 1; null if the text was not recognized by OCR, or the engine reports none */
        confidence: number | null;
      }[];
    }[] | null;
  }[];
  /** Of the whole file */
  page_count: number;
  /** Requested pages that were not read, since one request reads at most 1,000 pages: for example `1001-2400`, to be sent as `pages` */
  pages_left: string | null;
  /** Languages as BCP 47 tags */
  languages: string[];
  /** Whether parts of the result were left out because of their size; the asset is complete */
  truncated: boolean;
  /** A JSON file with `page_count`, `pages_left`, `languages`, and all `pages`, if parts were left out */
  asset: {
    /** `ast_…` */
    id: string;
    /** The kind of work, or of the file */
    kind: 'image' | 'video' | 'audio' | 'document' | 'other';
    /** Detected from the content, not the name */
    mime_type: string;
    /** Size in bytes */
    size_bytes: number;
    /** Of the content, in hexadecimal */
    sha256: string;
    /** Name of the file */
    filename: string | null;
    /** In pixels, for images and videos */
    width: number | null;
    /** Height in pixels */
    height: number | null;
    /** For videos and audio */
    duration_ms: number | null;
    /** The execution that generated it; null: it was uploaded */
    execution_id: string | null;
    /** Time of creation */
    created_at: string;
  } | null;
}

export type OutputItem = {
  /** Distinguishes the alternatives */
  type: 'text';
  /** The text */
  text: string;
  /** Whether to return the probability of each token */
  logprobs?: TokenLogprob[] | undefined;
} | {
  /** Distinguishes the alternatives */
  type: 'asset';
  /** A stored file */
  asset: Asset;
} | {
  /** Distinguishes the alternatives */
  type: 'reasoning';
  /** The text */
  text: string;
  /** Opaque data of the provider. Send it back with the item. */
  signature?: string | undefined;
} | {
  /** Distinguishes the alternatives */
  type: 'refusal';
  /** Why the model declined; null: it did not */
  refusal: string;
} | ToolCallItem | {
  /** Distinguishes the alternatives */
  type: 'mcp_list_tools';
  /** Your name for the server */
  server_label: string;
  /** The tools */
  tools: {
    /** Its name */
    name: string;
    /** The server's description, which is not trusted */
    description: string;
    /** A JSON Schema, as JSON */
    input_schema: string;
    /** Whether it changes nothing */
    read_only: boolean;
  }[];
  /** Why the tools are not available */
  error: string | null;
} | OcrResult | Verification | Citation | Transcript | Passage | {
  /** Distinguishes the alternatives */
  type: 'entry';
  /** `kno_…`: the document */
  entry_id: string;
  /** Whether the scope already had this content. Then this is the existing entry */
  duplicate: boolean;
} | Document | Embeddings;

export interface OwnedAsset {
  /** `ast_…` */
  id: string;
  /** The kind of work, or of the file */
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  /** Detected from the content, not the name */
  mime_type: string;
  /** Size in bytes */
  size_bytes: number;
  /** Of the content, in hexadecimal */
  sha256: string;
  /** Name of the file */
  filename: string | null;
  /** In pixels, for images and videos */
  width: number | null;
  /** Height in pixels */
  height: number | null;
  /** For videos and audio */
  duration_ms: number | null;
  /** The execution that generated it; null: it was uploaded */
  execution_id: string | null;
  /** Time of creation */
  created_at: string;
  /** Names the type of this object */
  object: 'asset';
  /** URL of its content; signed, expires, supports Range */
  url: string;
  /** URL of a thumbnail, for images and videos; signed, expires */
  thumbnail_url: string | null;
  /** The uploader, or the user whose execution generated it */
  user_id: string;
}

export interface Passage {
  /** Distinguishes the alternatives */
  type: 'passage';
  /** The passage of the document */
  passage: KnowledgeChunk;
}

export interface PlatformLimits {
  /** Names the type of this object */
  object: 'limits';
  /** The entries */
  data: {
    /** Its name */
    name: 'executions' | 'batches' | 'event_streams' | 'waiting_requests' | 'voice_sockets' | 'uploads' | 'reads' | 'writes' | 'new_executions' | 'storage';
    /** Null: no limit */
    value: number | null;
    /** What is counted */
    unit: 'at_once' | 'per_minute' | 'bytes';
    /** `credential`: an API key, or the logins of a user together */
    per: 'user' | 'credential' | 'scope';
    /** `environment`: a variable, which wins */
    source: 'environment' | 'stored' | 'standard';
    /** Applies if nothing else is set */
    standard: number | null;
    /** Smallest value */
    min: number;
    /** Largest value */
    max: number;
    /** The environment variable that sets it */
    variable: string;
  }[];
}

export interface Progress {
  /** Completed steps */
  completed: number;
  /** Total */
  total: number;
  /** The current step */
  stage: string;
}

export interface Prompt {
  /** `prm_…` */
  id: string;
  /** Names the type of this object */
  object: 'prompt';
  /** Its name */
  name: string;
  /** The text. `{{name}}` is a variable, filled in when the prompt is used */
  content: string;
  /** The creator */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface Provider {
  /** Its name */
  name: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
  /** Names the type of this object */
  object: 'provider';
  /** Where its key comes from. `environment`: an environment variable, which overrides a stored key */
  source: 'environment' | 'stored' | 'none';
  /** The last four characters of the stored key */
  key_hint: string | null;
  /** For `compatible`: the stored address */
  base_url: string | null;
  /** The outcome of the workers' latest calls. `off`: no worker uses it */
  status: 'ok' | 'failing' | 'unknown' | 'off';
  /** Models that the workers list */
  model_count: number;
  /** When the stored key was set */
  updated_at: string | null;
}

export interface ProviderTest {
  /** Names the type of this object */
  object: 'provider.test';
  /** The provider of the model */
  provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
  /** Whether it worked */
  ok: boolean;
  /** Models that the provider lists for this key, if it lists any */
  model_count: number | null;
  /** Why it failed */
  message: string | null;
}

export interface QueueJob {
  /** `job_…` */
  id: string;
  /** Names the type of this object */
  object: 'queue_job';
  /** Null: the kind no longer exists */
  pool: 'text' | 'media' | 'vision' | 'knowledge' | 'voice' | null;
  /** The kind of work, or of the file */
  kind: string;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** The model, `provider/model` */
  model: string | null;
  /** Number of the attempt, from 1 */
  attempt: number;
  /** What went wrong; null: nothing */
  error: Error | null;
  /** `usr_…`: the user */
  user_id: string;
  /** Null: the user was deleted */
  user_email: string | null;
  /** The workspace; null: personal */
  workspace_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** Time of creation */
  created_at: string;
  /** Time of its start; null: not started */
  started_at: string | null;
  /** Time of its end; null: not ended */
  finished_at: string | null;
}

export interface ReasoningBlock {
  /** The text */
  text: string;
  /** Signature of the content */
  signature?: string | undefined;
}

export interface RequiredAction {
  /** Distinguishes the alternatives */
  type: 'approve_tool_calls';
  /** Calls without a decision. It continues once all have one. */
  tool_calls: {
    /** Id of the call */
    tool_call_id: string;
    /** Its name */
    name: string;
    /** JSON, as the model wrote it */
    arguments: string;
  }[];
  /** The execution fails if calls are still undecided at this time */
  expires_at: string;
}

export type ResponseFormat = {
  /** Distinguishes the alternatives */
  type: 'text';
} | {
  /** Distinguishes the alternatives */
  type: 'json_object';
} | {
  /** Distinguishes the alternatives */
  type: 'json_schema';
  /** The schema that the answer follows */
  json_schema: {
    /** Its name */
    name: string;
    /** Tells models and people what it is for */
    description?: string | null | undefined;
    /** A JSON Schema */
    schema?: Record<string, unknown> | null | undefined;
    /** Whether arguments must follow the schema exactly */
    strict?: boolean | null | undefined;
  };
};

export interface Session {
  /** `ses_…` */
  id: string;
  /** Names the type of this object */
  object: 'session';
  /** Its title */
  title: string | null;
  /** Whether it is listed first */
  pinned: boolean;
  /** Whether it is starred */
  starred: boolean;
  /** Lists leave archived sessions out by default. A pin or a new turn restores the session. */
  archived: boolean;
  /** Hidden from lists and searches. Erased an hour after its last turn, unless it is kept. */
  temporary: boolean;
  /** `fld_…`; null: in no folder */
  folder_id: string | null;
  /** `agt_…` */
  agent_id: string | null;
  /** Number of visible messages */
  message_count: number;
  /** The running turn */
  active_execution_id: string | null;
  /** Up to 16 key-value pairs of text, stored with it and returned */
  metadata: Record<string, string>;
  /** Time of creation */
  created_at: string;
  /** When its last turn began */
  updated_at: string;
}

export interface SessionExport {
  /** Names the type of this object */
  object: 'session.export';
  /** `ses_…` */
  id: string;
  /** Its title */
  title: string | null;
  /** Whether it is listed first */
  pinned: boolean;
  /** Whether it is starred */
  starred: boolean;
  /** Whether it is in the archive of sessions, hidden from lists */
  archived: boolean;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
  /** The messages, oldest first */
  messages: {
    /** Author of the message, or role of the member */
    role: 'user' | 'assistant' | 'tool';
    /** The text or its parts */
    content: string;
    /** Reasoning that the model showed */
    reasoning_content: string | null;
    /** Passages that the answer cites */
    citations: Citation[];
    /** Ids of images (`ast_…`) and documents (`kno_…`) */
    attachments: string[];
    /** Time of creation */
    created_at: string;
  }[];
}

export interface Share {
  /** `shr_…` */
  id: string;
  /** Names the type of this object */
  object: 'share';
  /** `ses_…`: the session; null: none */
  session_id: string;
  /** The session's title, which the link shows */
  title: string | null;
  /** Number of visible messages */
  message_count: number;
  /** Time of creation */
  created_at: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string | null;
}

export interface SharedMessage {
  /** Names the type of this object */
  object: 'shared_message';
  /** Its place in the conversation, from 1 */
  number: number;
  /** Author of the message, or role of the member */
  role: 'user' | 'assistant';
  /** The text or its parts */
  content: string;
  /** Passages that the answer cites */
  citations: {
    /** The answer contains it as `[marker]` */
    marker: number;
    /** The entry's title at the time */
    title: string;
    /** Headings above it, from the outermost */
    heading_path: string[];
    /** From 1; null for documents without pages */
    page: number | null;
    /** Verbatim text of the chunk */
    quote: string;
  }[];
  /** Ids for `GET /shared/{token}/images/{asset_id}` */
  images: string[];
  /** Time of creation */
  created_at: string;
}

export interface SharedSession {
  /** Names the type of this object */
  object: 'shared_session';
  /** Its title */
  title: string | null;
  /** Time when it was shared */
  shared_at: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string | null;
}

export interface SpeechVoice {
  /** `provider/model` */
  model: string;
  /** The value for `voice` in a request */
  id: string;
  /** Its name */
  name: string;
  /** BCP 47; null: any language of the model */
  language: string | null;
  /** OpenAI's voices that this one is used for */
  stands_for?: string[] | undefined;
}

export type StreamFrame = {
  /** Distinguishes the alternatives */
  type: 'execution.queued';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.waiting';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Why */
  reason: 'busy' | 'slow_down' | 'away' | 'key' | 'credit';
  /** The provider of the model */
  provider: string;
  /** When the next call is tried. Null: unknown, or when an operator acts */
  until: string | null;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.started';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Number of the attempt, from 1 */
  attempt: number;
} | {
  /** Distinguishes the alternatives */
  type: 'text.delta';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** The next part */
  delta: string;
  /** Whether to return the probability of each token */
  logprobs?: TokenLogprob[] | undefined;
} | {
  /** Distinguishes the alternatives */
  type: 'reasoning.delta';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** The next part */
  delta: string;
} | {
  /** Distinguishes the alternatives */
  type: 'refusal.delta';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** The next part */
  delta: string;
} | {
  /** Distinguishes the alternatives */
  type: 'tool_call.delta';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** Counts the answer's calls from 0 */
  call: number;
  /** Its id */
  id: string;
  /** Its name */
  name: string;
  /** Marks the first part of a call */
  first?: true | undefined;
  /** Next part of the arguments */
  arguments_delta: string;
} | {
  /** Distinguishes the alternatives */
  type: 'audio.delta';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** Position in the text, in characters */
  offset: number;
  /** The next part */
  delta: string;
} | {
  /** Distinguishes the alternatives */
  type: 'text.reset';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Why */
  reason: string;
} | {
  /** Distinguishes the alternatives */
  type: 'progress';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Progress so far; null: unknown */
  progress: Progress;
} | {
  /** Distinguishes the alternatives */
  type: 'tool_call.started';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** Its id */
  id: string;
  /** Its name */
  name: string;
} | {
  /** Distinguishes the alternatives */
  type: 'tool_call.finished';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** Its id */
  id: string;
  /** `requested`: you run it. Others run on the server. `unknown`: it was interrupted and may have had an effect */
  status: 'requested' | 'awaiting_approval' | 'running' | 'succeeded' | 'failed' | 'denied' | 'unknown';
  /** The result; null: none */
  result: string | null;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.requires_action';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** What the execution waits for */
  required_action: RequiredAction;
} | {
  /** Distinguishes the alternatives */
  type: 'output.item';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** Position, from 0 */
  index: number;
  /** A part of the output */
  item: OutputItem;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.succeeded';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** The whole execution; for chat turns a `ChatExecution` */
  execution: Execution;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.failed';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** The whole execution; for chat turns a `ChatExecution` */
  execution: Execution;
} | {
  /** Distinguishes the alternatives */
  type: 'execution.cancelled';
  /** Number of the frame, from 1. Send the last one as `Last-Event-ID` to resume */
  seq: number;
  /** `job_…`: the execution */
  execution_id: string;
  /** The whole execution; for chat turns a `ChatExecution` */
  execution: Execution;
};

export interface TokenAnswer {
  /** Send it as `Authorization: Bearer` */
  access_token: string;
  /** How to send the token */
  token_type: 'Bearer';
  /** Seconds */
  expires_in: number;
  /** Absent when stored in the cookie */
  refresh_token?: string | undefined;
  /** The user who logged in */
  user: User;
}

export interface TokenLogprob {
  /** The token */
  token: string;
  /** Natural logarithm of the probability */
  logprob: number;
  /** UTF-8 bytes of the token */
  bytes: number[] | null;
  /** Alternatives per token to return, with their probability */
  top_logprobs: {
    /** The token */
    token: string;
    /** Natural logarithm of the probability */
    logprob: number;
    /** UTF-8 bytes of the token */
    bytes: number[] | null;
  }[];
}

export interface ToolApi {
  /** `api_…` */
  id: string;
  /** Names the type of this object */
  object: 'tool_api';
  /** Its name */
  name: string;
  /** Agents get no tools from a disabled API */
  enabled: boolean;
  /** Calls that need approval whatever the `approval` of an agent is. `writes`: those that are not read-only */
  min_approval: 'never' | 'writes' | 'always';
  /** URL of the OpenAPI document */
  document_url: string | null;
  /** The document's paths are appended to it */
  base_url: string;
  /** How requests to it authenticate */
  auth: {
    /** Distinguishes the alternatives */
    type: 'none' | 'bearer' | 'header' | 'query' | 'basic';
    /** Name of the header or query parameter */
    name: string | null;
  };
  /** Operations of the API that can be used as tools */
  operations: {
    /** Name of the tool: the `operationId`, or method and path */
    name: string;
    /** HTTP method */
    method: string;
    /** Path of the field */
    path: string;
    /** Tells models and people what it is for */
    description: string;
    /** `read`: nothing. `idempotent`: repeating a call changes nothing more. `write`: anything */
    effect: 'read' | 'idempotent' | 'write';
  }[];
  /** Parts of the document that are not supported */
  warnings: string[];
  /** The user who registered it */
  user_id: string;
  /** Time of creation */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface ToolCall {
  /** Its id */
  id: string;
  /** Distinguishes the alternatives */
  type?: 'function' | undefined;
  /** The function */
  function: {
    /** Its name */
    name: string;
    /** JSON, as the model wrote it. It may be invalid. */
    arguments: string;
  };
  /** Opaque data of the provider. Send it back with the call. */
  signature?: string | undefined;
}

export interface ToolCallItem {
  /** Distinguishes the alternatives */
  type: 'tool_call';
  /** Its id */
  id: string;
  /** Its name */
  name: string;
  /** JSON, as the model wrote it. It may be invalid. */
  arguments: string;
  /** `requested`: you run it. Others run on the server. `unknown`: it was interrupted and may have had an effect */
  status: 'requested' | 'awaiting_approval' | 'running' | 'succeeded' | 'failed' | 'denied' | 'unknown';
  /** What the model received */
  result: string | null;
  /** Time of its start; null: not started */
  started_at: string | null;
  /** Time of its end; null: not ended */
  finished_at: string | null;
  /** Opaque data of the provider. Send it back with the item. */
  signature?: string | undefined;
  /** For calls that run on the server: the step of the turn, from 0 */
  step?: number | undefined;
  /** Entries that the result quotes */
  sources?: string[] | undefined;
  /** For calls of the `mcp` tools of a response */
  mcp?: {
    /** Your name for the server */
    server_label: string;
    /** The server's name for the tool */
    name: string;
    /** The request that the caller has approved */
    approval_request_id?: string | undefined;
  } | undefined;
}

export interface ToolCallOutput {
  /** Its id */
  id: string;
  /** Distinguishes the alternatives */
  type: 'function';
  /** The function */
  function: {
    /** Its name */
    name: string;
    /** JSON, as the model wrote it. It may be invalid. */
    arguments: string;
  };
  /** Opaque data of the provider. Send it back with the call. */
  signature?: string | undefined;
}

export type ToolChoice = 'none' | 'auto' | 'required' | {
  /** Distinguishes the alternatives */
  type: 'function';
  /** The function */
  function: {
    /** Its name */
    name: string;
  };
} | {
  /** Distinguishes the alternatives */
  type: 'allowed_tools';
  /** Names of the tools that may be used. Default: all */
  allowed_tools: {
    /** Whether one of the tools must be called */
    mode: 'auto' | 'required';
    /** The tools */
    tools: {
      /** Distinguishes the alternatives */
      type: 'function';
      /** The function */
      function: {
        /** Its name */
        name: string;
      };
    }[];
  };
};

export interface Transcript {
  /** Distinguishes the alternatives */
  type: 'transcript';
  /** The text */
  text: string;
  /** `provider/model` that transcribed it */
  model: string;
  /** ISO 639, such as `en`; null: the model does not report it */
  language: string | null;
  /** Length of the audio */
  duration_ms: number;
  /** Phrases with their times; empty if the model reports none */
  segments?: {
    /** The text */
    text: string;
    /** Time of its start in the recording */
    start_ms: number;
    /** Time of its end in the recording */
    end_ms: number;
  }[] | undefined;
  /** Words with their times, if requested */
  words?: {
    /** The text */
    text: string;
    /** Time of its start in the recording */
    start_ms: number;
    /** Time of its end in the recording */
    end_ms: number;
  }[] | undefined;
}

export interface Usage {
  /** Input tokens */
  input_tokens: number;
  /** Output tokens, including reasoning */
  output_tokens: number;
  /** Input and output tokens */
  total_tokens: number;
  /** Cost in US dollars; null: unknown */
  cost_usd: number | null;
  /** Input tokens that came from the provider's cache */
  cached_input_tokens?: number | undefined;
  /** Output tokens of the reasoning */
  reasoning_tokens?: number | undefined;
  /** Audio tokens of the input */
  audio_input_tokens?: number | undefined;
  /** Audio tokens of the output */
  audio_output_tokens?: number | undefined;
  /** Whether some of it is an upper estimate, since work ended before its provider reported it */
  estimated?: boolean | undefined;
}

export interface UsageReport {
  /** Names the type of this object */
  object: 'usage';
  /** First day, in UTC */
  from: string;
  /** Last day, in UTC */
  to: string;
  /** The entries */
  data: UsageRow[];
  /** Total */
  total: {
    /** Number of executions */
    executions: number;
    /** Input tokens */
    input_tokens: number;
    /** Output tokens, including reasoning */
    output_tokens: number;
    /** Input and output tokens */
    total_tokens: number;
    /** Of the executions with a known price */
    cost_usd: number;
    /** Number of executions with an unknown price */
    unpriced_executions: number;
    /** Number of executions whose usage is partly an upper estimate */
    estimated_executions: number;
  };
  /** Storage in use now, whichever days were requested. */
  storage: {
    /** Bytes of files, generated media, recordings, and texts of knowledge entries */
    used_bytes: number;
    /** `STORAGE_QUOTA_BYTES`; null: none */
    limit_bytes: number | null;
  };
}

export interface UsageRow {
  /** Day in UTC, `YYYY-MM-DD` */
  day: string;
  /** The model, `provider/model` */
  model: string | null;
  /** `key_…`: the API key that sent the request */
  api_key_id: string | null;
  /** Number of executions */
  executions: number;
  /** Input tokens */
  input_tokens: number;
  /** Output tokens, including reasoning */
  output_tokens: number;
  /** Input and output tokens */
  total_tokens: number;
  /** Of the executions with a known price */
  cost_usd: number;
  /** Number of executions with an unknown price */
  unpriced_executions: number;
  /** Number of executions whose usage is partly an upper estimate */
  estimated_executions: number;
}

export interface User {
  /** `usr_…` */
  id: string;
  /** Names the type of this object */
  object: 'user';
  /** Email address */
  email: string;
  /** May operate the platform: see queues, manage users and providers */
  operator: boolean;
  /** Time of creation */
  created_at: string;
}

export interface UserInvitation {
  /** `inv_…` */
  id: string;
  /** Names the type of this object */
  object: 'user_invitation';
  /** Email address */
  email: string;
  /** `usr_…` */
  invited_by: string;
  /** Time of creation */
  created_at: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string;
}

export interface UserUsageReport {
  /** Names the type of this object */
  object: 'user_usage';
  /** First day, in UTC */
  from: string;
  /** Last day, in UTC */
  to: string;
  /** Oldest day first. Executions that retention has deleted are missing */
  data: {
    /** Day in UTC, `YYYY-MM-DD` */
    day: string;
    /** `usr_…`: the user */
    user_id: string;
    /** Number of executions */
    executions: number;
    /** Input and output tokens */
    total_tokens: number;
    /** Of the executions with a known price */
    cost_usd: number;
    /** Number of executions with an unknown price */
    unpriced_executions: number;
    /** Number of executions whose usage is partly an upper estimate */
    estimated_executions: number;
  }[];
}

export interface Verification {
  /** Distinguishes the alternatives */
  type: 'verification';
  /** The result of all checks */
  verdict: 'made_here' | 'made_here_altered' | 'made_elsewhere' | 'not_found';
  /** Whether the file is what it claims to be */
  claim: 'supported' | 'contradicted' | 'uncertain' | 'not_checked';
  /** Summary of the reasoning */
  summary: string;
  /** The individual checks and their results */
  checks: {
    /** The check that was made */
    check: 'provenance' | 'ledger' | 'similarity' | 'expected_text' | 'prompt';
    /** `absent`: nothing to check; `skipped`: not requested, or not possible */
    result: 'match' | 'mismatch' | 'absent' | 'uncertain' | 'skipped';
    /** Why */
    reason: string;
    /** Further information */
    details: Record<string, unknown>;
  }[];
}

export interface VoiceMeta {
  /** Names the type of this object */
  object: 'voice.meta';
  /** Speech synthesis */
  speech: {
    /** The models */
    models: string[];
    /** Model if none is named; null: none */
    default_model: string | null;
    /** Providers may have others */
    voices: SpeechVoice[];
  };
  /** Speech recognition */
  transcription: {
    /** The models */
    models: string[];
    /** Model if none is named; null: none */
    default_model: string | null;
  };
  /** Languages of the voices, in BCP 47; models may speak others */
  languages: string[];
  /** Formats of spoken answers */
  formats: {
    /** Name of the format */
    format: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';
    /** Media type of the content */
    mime_type: string;
  }[];
  /** Media types of the user's audio */
  accepts: string[];
  /** The largest accepted values */
  limits: {
    /** Maximum length of the user's audio */
    audio_ms: number;
    /** Maximum length of the user's text */
    text_characters: number;
    /** Longer answers are spoken up to this length */
    spoken_ms: number;
    /** How long a ticket for the socket is valid */
    ticket_ms: number;
  };
  /** Default turn detection of the socket */
  turn_detection: Record<string, unknown>;
  /** The session */
  session: {
    /** Its id */
    id: string;
    /** Current state */
    state: 'idle' | 'listening' | 'thinking' | 'speaking';
    /** The running turn of the session; null: none */
    active_execution_id: string | null;
    /** Oldest first */
    turns: VoiceTurn[];
    /** Whether there is another page */
    has_more: boolean;
    /** Pass it as `after` for the next page; null: this is the last one */
    next_cursor: string | null;
  } | null;
  /** The turn; null: none */
  turn: VoiceTurn | null;
}

export interface VoiceTicket {
  /** Names the type of this object */
  object: 'voice.ticket';
  /** For `?ticket=` of the voice socket. Works once, with the rights and scope of its creator */
  ticket: string;
  /** Time after which it is no longer valid; null: never */
  expires_at: string;
  /** The socket's URL, without the ticket */
  url: string;
}

export interface VoiceTurn {
  /** The execution that answered */
  execution_id: string | null;
  /** `ses_…`: the session; null: none */
  session_id: string | null;
  /** `msg_…`: the question */
  user_message_id: string | null;
  /** The assistant message */
  message_id: string | null;
  /** Its state */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** What the user said or wrote */
  transcript: string | null;
  /** The answer; if it was interrupted, the part that was played */
  text: string;
  /** How it was spoken; null: not yet known */
  voice: MessageVoice | null;
  /** Time of creation */
  created_at: string;
}

export interface WebhookDelivery {
  /** `whd_…`, also in the header `webhook-id` of each attempt */
  id: string;
  /** Names the type of this object */
  object: 'webhook_delivery';
  /** Name of the event */
  event: 'execution.succeeded' | 'execution.failed' | 'execution.cancelled' | 'execution.requires_action' | 'batch.completed' | 'budget.warning' | 'budget.exceeded' | 'provider.stopped' | 'provider.resumed';
  /** `job_…`: the execution */
  execution_id: string | null;
  /** `bat_…`; null: not part of a batch */
  batch_id: string | null;
  /** The budget: `workspace:<id>` or the id of an API key */
  budget: string | null;
  /** For webhooks of other members, only admins see more than the host */
  url: string;
  /** Its state */
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts so far */
  attempt_count: number;
  /** The last 20, oldest first */
  attempts: {
    /** Time of its start; null: not started */
    started_at: string;
    /** Run time */
    duration_ms: number;
    /** The response's HTTP status; null: no response */
    status: number | null;
    /** Why it does not count as delivered */
    error: string | null;
  }[];
  /** Time of the next attempt; null: none */
  next_attempt_at: string | null;
  /** Time of creation */
  created_at: string;
  /** Time of its end; null: not ended */
  ended_at: string | null;
}

export interface WebhookSecret {
  /** Names the type of this object */
  object: 'webhook_secret';
  /** `whsec_…`: for verifying signatures */
  secret: string;
  /** Time of creation */
  created_at: string;
  /** Until then the previous secret also signs; null: there is none */
  previous_valid_until: string | null;
}

export interface Workspace {
  /** Its id */
  id: string;
  /** Names the type of this object */
  object: 'workspace';
  /** Its name */
  name: string;
  /** Your role */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** Time of creation */
  created_at: string;
}

/** What each route takes and answers, by its method and its path under `/api/v1`. */
export interface Operations {
  /** Run a chat turn */
  'POST /chat/completions': {
    /** JSON body */
    body: {
      /** A message to a session. Without `session_id`, it creates a new session. */
      message?: string | undefined;
      /** OpenAI's form: a conversation without a session. */
      messages?: ConversationMessage[] | undefined;
      /** Results of all tool calls that the last answer of `session_id` requested. The turn continues. */
      tool_outputs?: {
        /** Id of the call */
        tool_call_id: string;
        /** The results: texts, files, calls, citations */
        output: string;
      }[] | undefined;
      /** `ses_…`: the session to continue */
      session_id?: string | undefined;
      /** Whether the session that `message` creates is temporary: not listed, and erased after an hour */
      temporary?: boolean | null | undefined;
      /** Whether your own instructions (`PATCH /me/instructions`) precede the agent's. Only for sessions. */
      custom_instructions?: boolean | null | undefined;
      /** For `message`: images by asset id, for models that accept images, and documents by the id of an entry added with `for_conversation`. This and later answers of the session read the documents and cite them. A turn waits up to a minute for those that are still being read; `warnings` names those that it could not use. */
      attachments?: string[] | undefined;
      /** A message of a session to answer again (or, if it is an answer, to replace). Later messages are superseded. */
      regenerate_from?: string | undefined;
      /** `provider/model`. Default: the configured model. */
      model?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | null | undefined;
      /** Randomness of the answer, 0 to 2 */
      temperature?: number | null | undefined;
      /** Only the likeliest tokens with this total probability are considered, 0 to 1 */
      top_p?: number | null | undefined;
      /** Maximum tokens of the answer. Prefer `max_completion_tokens` */
      max_tokens?: number | null | undefined;
      /** Maximum tokens of the answer, including reasoning */
      max_completion_tokens?: number | null | undefined;
      /** Sequences that end the answer */
      stop?: string | string[] | null | undefined;
      /** The same seed and input give similar results */
      seed?: number | null | undefined;
      /** Penalty for tokens that have appeared, -2 to 2 */
      presence_penalty?: number | null | undefined;
      /** Penalty for tokens by how often they appeared, -2 to 2 */
      frequency_penalty?: number | null | undefined;
      /** Functions that the model may call and the caller runs. */
      tools?: FunctionTool[] | null | undefined;
      /** Whether the model may, must, or must not call a tool */
      tool_choice?: ToolChoice | null | undefined;
      /** Whether the model may call several tools at once */
      parallel_tool_calls?: boolean | null | undefined;
      /** Form of the answer: text, JSON, or JSON of a schema */
      response_format?: ResponseFormat | null | undefined;
      /** How much effort the model spends on reasoning */
      reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | null | undefined;
      /** How detailed answers are */
      verbosity?: 'low' | 'medium' | 'high' | null | undefined;
      /** Whether to return the probability of each token */
      logprobs?: boolean | null | undefined;
      /** Alternatives per token to return, with their probability */
      top_logprobs?: number | null | undefined;
      /** Bias by token, -100 to 100 */
      logit_bias?: Record<string, number> | null | undefined;
      /** Tier of the provider that serves the request */
      service_tier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | null | undefined;
      /** The caller's identifier of its end user. */
      user?: string | null | undefined;
      /** Options of single providers, such as `{"anthropic": {"thinking": …}}`. Other providers ignore them. */
      provider_options?: Record<string, Record<string, unknown>> | null | undefined;
      /** Number of alternative answers */
      n?: number | null | undefined;
      /** Has no effect: the last frame always contains the usage. */
      stream_options?: {
        /** Has no effect: the usage is always sent */
        include_usage?: boolean | undefined;
        [field: string]: unknown;
      } | null | undefined;
      /** Documents that the answer may use and cite. An empty object: all of the scope. Absent: those with the `knowledge_tags` of the agent, if it has any. */
      knowledge?: {
        /** Maximum number of passages */
        top_k?: number | undefined;
        /** Only entries with one of these tags */
        tags?: string[] | undefined;
        /** Only these entries */
        entry_ids?: string[] | undefined;
      } | null | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | null | undefined;
      /** URL that is called when it ends */
      webhook_url?: string | null | undefined;
    };
    /** The answer */
    answer: ChatExecution;
  };
  /** Write a title for a session */
  'POST /sessions/title': {
    /** JSON body */
    body: {
      /** `ses_…` */
      session_id: string;
      /** `provider/model`. Default: the server's model for titles, or its default. */
      model?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Embed texts */
  'POST /embeddings': {
    /** JSON body */
    body: {
      /** A text, or up to 2,048 texts */
      input: string | string[];
      /** `provider/model`. Default: the model of the documents */
      model?: string | undefined;
      /** Length of the vectors, for models that support it. Default: the model's */
      dimensions?: number | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Generate images */
  'POST /iris/generate': {
    /** JSON body */
    body: {
      /** Description of the result */
      prompt?: string | undefined;
      /** Several prompts at once; cannot be combined with `prompt` */
      prompts?: string[] | undefined;
      /** Images per prompt */
      n?: number | undefined;
      /** For example `1024x1024`. Default: the model's */
      size?: string | undefined;
      /** The same request with the same seed gives the same image, if the model supports it. Each further image uses the next seed */
      seed?: number | undefined;
      /** `provider/model`. Default: the first model that supports it */
      model?: string | undefined;
      /** What the image should not show */
      negative_prompt?: string | undefined;
      /** Reference images */
      reference_asset_ids?: string[] | undefined;
      /** An image of the same size as the first reference, transparent where it may change */
      mask_asset_id?: string | undefined;
      /** Quality of the result. Higher quality takes longer */
      quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'standard' | 'hd' | undefined;
      /** Whether to respond at once, while the work is queued */
      background?: 'transparent' | 'opaque' | undefined;
      /** Default: the model's */
      output_format?: 'png' | 'jpeg' | 'webp' | undefined;
      /** In percent, for `jpeg` and `webp` */
      output_compression?: number | undefined;
      /** How closely to keep the reference images */
      input_fidelity?: 'low' | 'high' | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Read text from an image or document */
  'POST /iris/ocr': {
    /** JSON body */
    body: {
      /** A file that was uploaded or generated before */
      asset_id?: string | undefined;
      /** A public address */
      url?: string | undefined;
      /** ISO 639-2 codes, the most likely first. Default: eng */
      languages?: string[] | undefined;
      /** For example `1-3,7`. Default: all */
      pages?: string | undefined;
      /** `embedded/ocr`, or a vision model */
      model?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** Multipart form */
    form: {
      /** The file, with a filename */
      file: Blob;
      /** A public address */
      url?: string | undefined;
      /** ISO 639-2 codes, the most likely first. Default: eng */
      languages?: string[] | undefined;
      /** For example `1-3,7`. Default: all */
      pages?: string | undefined;
      /** `embedded/ocr`, or a vision model */
      model?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Enlarge an image */
  'POST /iris/upscale': {
    /** JSON body */
    body: {
      /** An image */
      asset_id: string;
      /** How many times as wide and as high */
      factor?: number | undefined;
      /** `provider/model`. Default: the first model that supports it */
      model?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Verify where a file was generated, and what it shows */
  'POST /iris/verify': {
    /** JSON body */
    body: {
      /** A file that was uploaded or generated before */
      asset_id?: string | undefined;
      /** A public address */
      url?: string | undefined;
      /** Text that the image should contain */
      expected_text?: string | undefined;
      /** What the image should show */
      prompt?: string | undefined;
      /** A vision model, for `prompt` */
      model?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** Multipart form */
    form: {
      /** The file, with a filename */
      file: Blob;
      /** A public address */
      url?: string | undefined;
      /** Text that the image should contain */
      expected_text?: string | undefined;
      /** What the image should show */
      prompt?: string | undefined;
      /** A vision model, for `prompt` */
      model?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Generate a video */
  'POST /iris/video': {
    /** JSON body */
    body: {
      /** Description of the result */
      prompt: string;
      /** Length in seconds */
      duration_s?: number | undefined;
      /** Frames per second */
      fps?: number | undefined;
      /** For example `1280x720`. Default: the model's */
      size?: string | undefined;
      /** The same seed and input give similar results */
      seed?: number | undefined;
      /** `provider/model`. Default: the first model that supports it */
      model?: string | undefined;
      /** The image to start from */
      image_asset_id?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Ask your documents */
  'POST /console/knowledge/ask': {
    /** JSON body */
    body: {
      /** The question */
      question: string;
      /** Maximum number of passages to answer from */
      top_k?: number | undefined;
      /** Only entries with one of these tags */
      tags?: string[] | undefined;
      /** Only these entries */
      entry_ids?: string[] | undefined;
      /** Adds the question and its answer to this session */
      session_id?: string | undefined;
      /** `provider/model`. Default: the configured model */
      model?: string | undefined;
      /** Randomness of the answer, 0 to 2 */
      temperature?: number | undefined;
      /** Maximum tokens of the answer. Prefer `max_completion_tokens` */
      max_tokens?: number | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Read a document */
  'POST /console/knowledge/read': {
    /** JSON body */
    body: {
      /** A file that was uploaded or generated before */
      asset_id?: string | undefined;
      /** A public address */
      url?: string | undefined;
      /** For example `1-3,7`. Default: all. Documents without pages ignore it */
      pages?: string | undefined;
      /** Of scanned pages, as ISO 639-2 codes, the most likely first. Default: eng */
      languages?: string[] | undefined;
      /** Characters to skip */
      offset?: number | undefined;
      /** Maximum length of the text */
      max_chars?: number | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Search your documents */
  'POST /console/knowledge/search': {
    /** JSON body */
    body: {
      /** What to look for */
      query: string;
      /** Maximum number of passages */
      top_k?: number | undefined;
      /** Only entries with one of these tags */
      tags?: string[] | undefined;
      /** Only these entries */
      entry_ids?: string[] | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Run a response of OpenAI's Responses API */
  'POST /responses': {
    /** JSON body */
    body: {
      /** `provider/model`. Default: the configured model */
      model?: string | null | undefined;
      /** A message of the user, or items */
      input?: string | ({
        /** Distinguishes the alternatives */
        type?: 'message' | undefined;
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Author of the message, or role of the member */
        role: 'system' | 'developer';
        /** The text or its parts */
        content: string | {
          /** Distinguishes the alternatives */
          type: 'input_text';
          /** The text */
          text: string;
        }[];
      } | {
        /** Distinguishes the alternatives */
        type?: 'message' | undefined;
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Author of the message, or role of the member */
        role: 'user';
        /** The text or its parts */
        content: string | ({
          /** Distinguishes the alternatives */
          type: 'input_text';
          /** The text */
          text: string;
        } | {
          /** Distinguishes the alternatives */
          type: 'input_image';
          /** `https://…` or a `data:` URL */
          image_url?: string | null | undefined;
          /** An uploaded image, or an asset of the scope */
          file_id?: string | null | undefined;
          /** Resolution at which the model looks at the image */
          detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'input_file';
          /** A `data:` URL, or base64 of a PDF */
          file_data?: string | null | undefined;
          /** An uploaded file, or an asset of the scope */
          file_id?: string | null | undefined;
          /** URL of the file */
          file_url?: null | undefined;
          /** Name of the file */
          filename?: string | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'input_audio';
          /** Sound, in base64 */
          input_audio: {
            /** base64 */
            data: string;
            /** Format of the content */
            format: 'wav' | 'mp3';
          };
        })[];
      } | {
        /** Distinguishes the alternatives */
        type?: 'message' | undefined;
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Author of the message, or role of the member */
        role: 'assistant';
        /** The text or its parts */
        content: string | ({
          /** Distinguishes the alternatives */
          type: 'output_text';
          /** The text */
          text: string;
        } | {
          /** Distinguishes the alternatives */
          type: 'refusal';
          /** Why the model declined; null: it did not */
          refusal: string;
        })[];
        /** Kept with the item, without effect */
        phase?: 'commentary' | 'final_answer' | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'function_call';
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Id of the call */
        call_id: string;
        /** Its name */
        name: string;
        /** The namespace of the tool */
        namespace?: string | null | undefined;
        /** JSON, as the model wrote it. It may be invalid. */
        arguments: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'function_call_output';
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Id of the call */
        call_id: string;
        /** The results: texts, files, calls, citations */
        output: string | ({
          /** Distinguishes the alternatives */
          type: 'input_text';
          /** The text */
          text: string;
        } | {
          /** Distinguishes the alternatives */
          type: 'input_image';
          /** `https://…` or a `data:` URL */
          image_url?: string | null | undefined;
          /** An uploaded image, or an asset of the scope */
          file_id?: string | null | undefined;
          /** Resolution at which the model looks at the image */
          detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'input_file';
          /** A `data:` URL, or base64 of a PDF */
          file_data?: string | null | undefined;
          /** An uploaded file, or an asset of the scope */
          file_id?: string | null | undefined;
          /** URL of the file */
          file_url?: null | undefined;
          /** Name of the file */
          filename?: string | null | undefined;
        })[];
      } | {
        /** Distinguishes the alternatives */
        type: 'custom_tool_call';
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Id of the call */
        call_id: string;
        /** Its name */
        name: string;
        /** The namespace of the tool */
        namespace?: string | null | undefined;
        /** What the model wrote */
        input: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'custom_tool_call_output';
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Id of the call */
        call_id: string;
        /** The results: texts, files, calls, citations */
        output: string | ({
          /** Distinguishes the alternatives */
          type: 'input_text';
          /** The text */
          text: string;
        } | {
          /** Distinguishes the alternatives */
          type: 'input_image';
          /** `https://…` or a `data:` URL */
          image_url?: string | null | undefined;
          /** An uploaded image, or an asset of the scope */
          file_id?: string | null | undefined;
          /** Resolution at which the model looks at the image */
          detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'input_file';
          /** A `data:` URL, or base64 of a PDF */
          file_data?: string | null | undefined;
          /** An uploaded file, or an asset of the scope */
          file_id?: string | null | undefined;
          /** URL of the file */
          file_url?: null | undefined;
          /** Name of the file */
          filename?: string | null | undefined;
        })[];
      } | {
        /** Distinguishes the alternatives */
        type: 'tool_search_call';
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Id of the call */
        call_id: string;
        /** `client`: the caller runs it */
        execution?: 'client' | null | undefined;
        /** Arguments of the search */
        arguments: unknown;
      } | {
        /** Distinguishes the alternatives */
        type: 'tool_search_output';
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Id of the call */
        call_id: string;
        /** `client`: the caller runs it */
        execution?: 'client' | null | undefined;
        /** Tools that the model may call from here on */
        tools: ({
          /** Distinguishes the alternatives */
          type: 'function';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** A JSON Schema */
          parameters?: Record<string, unknown> | null | undefined;
          /** Whether arguments must follow the schema exactly */
          strict?: boolean | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'custom';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** The form of its input. Default: any text */
          format?: {
            /** Distinguishes the alternatives */
            type: 'text';
          } | {
            /** Distinguishes the alternatives */
            type: 'grammar';
            /** Language of the grammar */
            syntax: 'lark' | 'regex';
            /** The model sees it, but may write something else */
            definition: string;
          } | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'namespace';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** The tools */
          tools: ({
            /** Distinguishes the alternatives */
            type: 'function';
            /** Its name */
            name: string;
            /** Tells models and people what it is for */
            description?: string | null | undefined;
            /** A JSON Schema */
            parameters?: Record<string, unknown> | null | undefined;
            /** Whether arguments must follow the schema exactly */
            strict?: boolean | null | undefined;
          } | {
            /** Distinguishes the alternatives */
            type: 'custom';
            /** Its name */
            name: string;
            /** Tells models and people what it is for */
            description?: string | null | undefined;
            /** The form of its input. Default: any text */
            format?: {
              /** Distinguishes the alternatives */
              type: 'text';
            } | {
              /** Distinguishes the alternatives */
              type: 'grammar';
              /** Language of the grammar */
              syntax: 'lark' | 'regex';
              /** The model sees it, but may write something else */
              definition: string;
            } | null | undefined;
          })[];
        } | {
          /** Distinguishes the alternatives */
          type: 'tool_search';
          /** `client`: the caller runs it */
          execution: 'client';
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** A JSON Schema */
          parameters?: Record<string, unknown> | null | undefined;
        })[];
      } | {
        /** Distinguishes the alternatives */
        type: 'additional_tools';
        /** Its id */
        id?: string | null | undefined;
        /** Author of the message, or role of the member */
        role: 'developer';
        /** Tools that the model may call, besides `tools` */
        tools: ({
          /** Distinguishes the alternatives */
          type: 'function';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** A JSON Schema */
          parameters?: Record<string, unknown> | null | undefined;
          /** Whether arguments must follow the schema exactly */
          strict?: boolean | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'custom';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** The form of its input. Default: any text */
          format?: {
            /** Distinguishes the alternatives */
            type: 'text';
          } | {
            /** Distinguishes the alternatives */
            type: 'grammar';
            /** Language of the grammar */
            syntax: 'lark' | 'regex';
            /** The model sees it, but may write something else */
            definition: string;
          } | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'namespace';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** The tools */
          tools: ({
            /** Distinguishes the alternatives */
            type: 'function';
            /** Its name */
            name: string;
            /** Tells models and people what it is for */
            description?: string | null | undefined;
            /** A JSON Schema */
            parameters?: Record<string, unknown> | null | undefined;
            /** Whether arguments must follow the schema exactly */
            strict?: boolean | null | undefined;
          } | {
            /** Distinguishes the alternatives */
            type: 'custom';
            /** Its name */
            name: string;
            /** Tells models and people what it is for */
            description?: string | null | undefined;
            /** The form of its input. Default: any text */
            format?: {
              /** Distinguishes the alternatives */
              type: 'text';
            } | {
              /** Distinguishes the alternatives */
              type: 'grammar';
              /** Language of the grammar */
              syntax: 'lark' | 'regex';
              /** The model sees it, but may write something else */
              definition: string;
            } | null | undefined;
          })[];
        } | {
          /** Distinguishes the alternatives */
          type: 'tool_search';
          /** `client`: the caller runs it */
          execution: 'client';
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** A JSON Schema */
          parameters?: Record<string, unknown> | null | undefined;
        })[];
      } | {
        /** Distinguishes the alternatives */
        type: 'reasoning';
        /** Its id */
        id?: string | null | undefined;
        /** Its state */
        status?: string | null | undefined;
        /** Summary of the reasoning */
        summary: {
          /** Distinguishes the alternatives */
          type: 'summary_text';
          /** The text */
          text: string;
        }[];
        /** The text or its parts */
        content?: {
          /** Distinguishes the alternatives */
          type: 'reasoning_text';
          /** The text */
          text: string;
        }[] | null | undefined;
        /** Opaque data of the provider */
        encrypted_content?: string | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp_list_tools';
        /** Its id */
        id?: string | null | undefined;
        /** Your name for the server */
        server_label: string;
        /** The tools */
        tools: {
          /** Its name */
          name: string;
          [field: string]: unknown;
        }[];
        /** What went wrong; null: nothing */
        error?: string | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp_call';
        /** Its id */
        id: string;
        /** Its state */
        status?: string | null | undefined;
        /** Your name for the server */
        server_label: string;
        /** Its name */
        name: string;
        /** Arguments of the call, as JSON */
        arguments: string;
        /** The results: texts, files, calls, citations */
        output?: string | null | undefined;
        /** What went wrong; null: nothing */
        error?: string | {
          /** Distinguishes the alternatives */
          type: string;
          [field: string]: unknown;
        } | null | undefined;
        /** The request for approval that this answers */
        approval_request_id?: string | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp_approval_request';
        /** Its id */
        id: string;
        /** Your name for the server */
        server_label: string;
        /** Its name */
        name: string;
        /** Arguments of the call, as JSON */
        arguments: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp_approval_response';
        /** Its id */
        id?: string | null | undefined;
        /** The request for approval that this answers */
        approval_request_id: string;
        /** Whether the call may run */
        approve: boolean;
        /** For the model, if the call is denied */
        reason?: string | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'item_reference' | null;
        /** An item of an earlier response */
        id: string;
      })[] | null | undefined;
      /** Continues the conversation of this response */
      previous_response_id?: string | null | undefined;
      /** Apply to this response only */
      instructions?: string | null | undefined;
      /** Tools that the caller runs, and registered MCP servers */
      tools?: ({
        /** Distinguishes the alternatives */
        type: 'function';
        /** Its name */
        name: string;
        /** Tells models and people what it is for */
        description?: string | null | undefined;
        /** A JSON Schema */
        parameters?: Record<string, unknown> | null | undefined;
        /** Whether arguments must follow the schema exactly */
        strict?: boolean | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'custom';
        /** Its name */
        name: string;
        /** Tells models and people what it is for */
        description?: string | null | undefined;
        /** The form of its input. Default: any text */
        format?: {
          /** Distinguishes the alternatives */
          type: 'text';
        } | {
          /** Distinguishes the alternatives */
          type: 'grammar';
          /** Language of the grammar */
          syntax: 'lark' | 'regex';
          /** The model sees it, but may write something else */
          definition: string;
        } | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'namespace';
        /** Its name */
        name: string;
        /** Tells models and people what it is for */
        description?: string | null | undefined;
        /** The tools */
        tools: ({
          /** Distinguishes the alternatives */
          type: 'function';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** A JSON Schema */
          parameters?: Record<string, unknown> | null | undefined;
          /** Whether arguments must follow the schema exactly */
          strict?: boolean | null | undefined;
        } | {
          /** Distinguishes the alternatives */
          type: 'custom';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** The form of its input. Default: any text */
          format?: {
            /** Distinguishes the alternatives */
            type: 'text';
          } | {
            /** Distinguishes the alternatives */
            type: 'grammar';
            /** Language of the grammar */
            syntax: 'lark' | 'regex';
            /** The model sees it, but may write something else */
            definition: string;
          } | null | undefined;
        })[];
      } | {
        /** Distinguishes the alternatives */
        type: 'tool_search';
        /** `client`: the caller runs it */
        execution: 'client';
        /** Tells models and people what it is for */
        description?: string | null | undefined;
        /** A JSON Schema */
        parameters?: Record<string, unknown> | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp';
        /** Your name for the server */
        server_label: string;
        /** The URL or the id (`mcp_…`) of an MCP server that is registered in the scope */
        server_url: string;
        /** Names of the tools that may be used. Default: all */
        allowed_tools?: string[] | {
          /** Names of tools */
          tool_names?: string[] | null | undefined;
          /** `true`: only tools with `readOnlyHint`. `false`: only others */
          read_only?: boolean | null | undefined;
        } | null | undefined;
        /** Default: `always`. With filters, tools need approval unless `never` matches them and `always` does not */
        require_approval?: 'always' | 'never' | {
          /** Tools that need approval for each call */
          always?: {
            /** Names of tools */
            tool_names?: string[] | null | undefined;
            /** `true`: only tools with `readOnlyHint`. `false`: only others */
            read_only?: boolean | null | undefined;
          } | null | undefined;
          /** Tools that need no approval */
          never?: {
            /** Names of tools */
            tool_names?: string[] | null | undefined;
            /** `true`: only tools with `readOnlyHint`. `false`: only others */
            read_only?: boolean | null | undefined;
          } | null | undefined;
        } | null | undefined;
        /** Has no effect */
        server_description?: string | null | undefined;
        /** Not supported: use `authorization` */
        headers?: null | undefined;
        /** Access token for the server */
        authorization?: null | undefined;
        /** Not supported: use `server_url` */
        connector_id?: null | undefined;
        /** Not supported: use `server_url` */
        tunnel_id?: null | undefined;
      })[] | null | undefined;
      /** Whether the model may, must, or must not call a tool */
      tool_choice?: 'none' | 'auto' | 'required' | {
        /** Distinguishes the alternatives */
        type: 'function' | 'custom';
        /** Its name */
        name: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp';
        /** Your name for the server */
        server_label: string;
        /** One of its tools. Default: any */
        name?: string | null | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'allowed_tools';
        /** Whether a tool may or must be called */
        mode?: 'none' | 'auto' | 'required' | undefined;
        /** The tools */
        tools: ({
          /** Distinguishes the alternatives */
          type: 'function' | 'custom';
          /** Its name */
          name: string;
        } | {
          /** Distinguishes the alternatives */
          type: 'mcp';
          /** Your name for the server */
          server_label: string;
          /** One of its tools. Default: any */
          name?: string | null | undefined;
        })[];
      } | null | undefined;
      /** Whether the model may call several tools at once */
      parallel_tool_calls?: boolean | null | undefined;
      /** Further calls are dropped */
      max_tool_calls?: number | null | undefined;
      /** The text */
      text?: {
        /** Format of the content */
        format?: {
          /** Distinguishes the alternatives */
          type: 'text';
        } | {
          /** Distinguishes the alternatives */
          type: 'json_object';
        } | {
          /** Distinguishes the alternatives */
          type: 'json_schema';
          /** Its name */
          name: string;
          /** Tells models and people what it is for */
          description?: string | null | undefined;
          /** A JSON Schema */
          schema: Record<string, unknown>;
          /** Whether arguments must follow the schema exactly */
          strict?: boolean | null | undefined;
        } | null | undefined;
        /** How detailed answers are */
        verbosity?: 'low' | 'medium' | 'high' | null | undefined;
      } | null | undefined;
      /** Settings for models that reason */
      reasoning?: {
        /** How much effort the model spends on reasoning */
        effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | null | undefined;
        /** Has no effect: reasoning is shown as far as the provider shows it */
        summary?: 'auto' | 'concise' | 'detailed' | null | undefined;
      } | null | undefined;
      /** Randomness of the answer, 0 to 2 */
      temperature?: number | null | undefined;
      /** Only the likeliest tokens with this total probability are considered, 0 to 1 */
      top_p?: number | null | undefined;
      /** Penalty for tokens that have appeared, -2 to 2 */
      presence_penalty?: number | null | undefined;
      /** Penalty for tokens by how often they appeared, -2 to 2 */
      frequency_penalty?: number | null | undefined;
      /** Maximum tokens of the answer, including reasoning */
      max_output_tokens?: number | null | undefined;
      /** Alternatives per token to return, with their probability */
      top_logprobs?: number | null | undefined;
      /** `auto`: leaves out the oldest items of a conversation that is too long. `disabled`: it fails. */
      truncation?: 'auto' | 'disabled' | null | undefined;
      /** What the answer contains besides its output */
      include?: ('reasoning.encrypted_content' | 'message.output_text.logprobs' | 'message.input_image.image_url' | 'file_search_call.results' | 'web_search_call.action.sources' | 'web_search_call.results' | 'computer_call_output.output.image_url' | 'code_interpreter_call.outputs')[] | null | undefined;
      /** Returns immediately. Follow the response with `GET /responses/{id}`. */
      background?: boolean | null | undefined;
      /** `false`: deletes the response once it is delivered */
      store?: boolean | null | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | null | undefined;
      /** Tier of the provider that serves the request */
      service_tier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | null | undefined;
      /** Your id of the end user, passed to providers */
      safety_identifier?: string | null | undefined;
      /** Groups requests with the same beginning for OpenAI's prompt cache */
      prompt_cache_key?: string | null | undefined;
      /** Your id of the end user, passed to providers */
      user?: string | null | undefined;
      /** Has no effect: events are not padded */
      stream_options?: {
        /** Has no effect: events are not padded */
        include_obfuscation?: boolean | undefined;
        [field: string]: unknown;
      } | null | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | null | undefined;
      /** URL that is called when it ends */
      webhook_url?: string | null | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Speak a text */
  'POST /speech': {
    /** JSON body */
    body: {
      /** The text to speak */
      input: string;
      /** `provider/model`. Default: the configured model */
      model?: string | undefined;
      /** One of the model's voices, or one of OpenAI's */
      voice?: string | undefined;
      /** Default: by `Accept`, else `mp3` */
      format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm' | undefined;
      /** The same as `format` */
      response_format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm' | undefined;
      /** 1 is normal. `GET /models` lists what each model supports */
      speed?: number | undefined;
      /** How to speak. Models without support ignore it and report that in `warnings` */
      instructions?: string | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Transcribe audio */
  'POST /transcription': {
    /** JSON body */
    body: {
      /** Audio or video that was uploaded or generated before */
      asset_id: string;
      /** `provider/model`. Default: the configured model */
      model?: string | undefined;
      /** `translate`: into English. `GET /models` lists the models that can */
      task?: 'transcribe' | 'translate' | undefined;
      /** Language of the audio, as an ISO 639 code. Default: detected */
      language?: string | undefined;
      /** Names and terms that occur, or the preceding text */
      prompt?: string | undefined;
      /** Randomness of the answer, 0 to 2 */
      temperature?: number | undefined;
      /** `word`: times of words, too. Times of segments are always included if the model reports them */
      timestamp_granularities?: ('segment' | 'word')[] | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** Multipart form */
    form: {
      /** The file, with a filename */
      file: Blob;
      /** `provider/model`. Default: the configured model */
      model?: string | undefined;
      /** `translate`: into English. `GET /models` lists the models that can */
      task?: 'transcribe' | 'translate' | undefined;
      /** Language of the audio, as an ISO 639 code. Default: detected */
      language?: string | undefined;
      /** Names and terms that occur, or the preceding text */
      prompt?: string | undefined;
      /** Randomness of the answer, 0 to 2 */
      temperature?: number | undefined;
      /** `word`: times of words, too. Times of segments are always included if the model reports them */
      timestamp_granularities?: ('segment' | 'word')[] | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Run a spoken turn */
  'POST /voice/chat': {
    /** JSON body */
    body: {
      /** The user's message, as text */
      text?: string | undefined;
      /** Audio that was uploaded or generated before */
      asset_id?: string | undefined;
      /** Default: a new session */
      session_id?: string | undefined;
      /** `provider/model` for the answer. Default: as for a chat */
      model?: string | undefined;
      /** One of the speech model's voices */
      voice?: string | undefined;
      /** `provider/model` for speech. Default: the configured model */
      speech_model?: string | undefined;
      /** `provider/model` for transcription. Default: the configured model */
      transcription_model?: string | undefined;
      /** Audio format of the answer. Default: by `Accept`, else `mp3` */
      format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm' | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** Multipart form */
    form: {
      /** The file, with a filename */
      file: Blob;
      /** The user's message, as text */
      text?: string | undefined;
      /** Default: a new session */
      session_id?: string | undefined;
      /** `provider/model` for the answer. Default: as for a chat */
      model?: string | undefined;
      /** One of the speech model's voices */
      voice?: string | undefined;
      /** `provider/model` for speech. Default: the configured model */
      speech_model?: string | undefined;
      /** `provider/model` for transcription. Default: the configured model */
      transcription_model?: string | undefined;
      /** Audio format of the answer. Default: by `Accept`, else `mp3` */
      format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm' | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Follow an execution's events */
  'GET /jobs/{job_id}/events': {
    /** Values of the path */
    path: {
      /** The job's id */
      job_id: string;
    };
    /** Query parameters */
    query?: {
      /** The `seq` of the last event you received. */
      after?: number | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Follow a scope's events */
  'GET /events': {
    /** Query parameters */
    query?: {
      /** The `id` of the last event you received. */
      after?: string | undefined;
    };
    /** The answer */
    answer: FeedFrame;
  };
  /** Get an execution */
  'GET /jobs/{job_id}': {
    /** Values of the path */
    path: {
      /** The job's id */
      job_id: string;
    };
    /** The answer */
    answer: Execution;
  };
  /** Delete a finished execution */
  'DELETE /jobs/{job_id}': {
    /** Values of the path */
    path: {
      /** The job's id */
      job_id: string;
    };
    /** Query parameters */
    query?: {
      /** Also deletes the assets it generated, and the recording it was given. */
      assets?: 'true' | 'false' | undefined;
    };
    /** The answer */
    answer: Deletion;
  };
  /** List executions */
  'GET /jobs': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those of this kind */
      kind?: 'chat.completion' | 'chat.title' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ask' | 'knowledge.ingest' | 'knowledge.read' | 'knowledge.search' | 'response' | 'speech' | 'transcription' | 'voice.turn' | undefined;
      /** Only those with this status */
      status?: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled' | undefined;
      /** Only those of this batch */
      batch_id?: string | undefined;
      /** `true`: leaves out items of batches */
      standalone?: 'true' | 'false' | undefined;
      /** `true`: only those that you started */
      mine?: 'true' | 'false' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Job[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Cancel an execution */
  'POST /jobs/{job_id}/cancel': {
    /** Values of the path */
    path: {
      /** The job's id */
      job_id: string;
    };
    /** The answer */
    answer: Execution;
  };
  /** Approve or deny a tool call */
  'POST /jobs/{job_id}/actions': {
    /** Values of the path */
    path: {
      /** The job's id */
      job_id: string;
    };
    /** JSON body */
    body: {
      /** Id of the call */
      tool_call_id: string;
      /** Whether the call was approved; null: undecided */
      decision: 'approve' | 'deny';
      /** For the model, if the call is denied */
      reason?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Retry a failed or cancelled execution */
  'POST /jobs/{job_id}/retry': {
    /** Values of the path */
    path: {
      /** The job's id */
      job_id: string;
    };
    /** JSON body */
    body?: {
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Receives a webhook at the end. Default: the webhook of the original execution */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Check whether chats can run */
  'GET /chat/health': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'chat.health';
      /** `degraded`: chat works, but something is wrong. `unavailable`: no chat can run */
      status: 'ok' | 'degraded' | 'unavailable';
      /** State of the database */
      store: {
        /** Its state */
        status: 'ok' | 'failing';
        /** Null while it does not respond */
        latency_ms: number | null;
      };
      /** State of Redis */
      redis: {
        /** Its state */
        status: 'ok' | 'failing';
        /** Null while it does not respond */
        latency_ms: number | null;
      };
      /** Pools of workers and their queues */
      pools: {
        /** Its name */
        name: string;
        /** `missing`: no worker of this pool is alive */
        status: 'ok' | 'missing';
        /** Running workers */
        workers: number;
        /** Running jobs */
        active: number;
        /** Jobs that can run at once */
        concurrency: number;
        /** Waiting jobs */
        waiting: number | null;
        /** How long the oldest job has waited */
        oldest_waiting_ms: number | null;
      }[];
      /** The models */
      models: {
        /** Its id */
        id: string;
        /** The provider of the model */
        provider: string;
        /** From its provider's latest calls. `unknown`: no calls yet */
        status: 'ok' | 'failing' | 'unknown';
        /** Whether it is used if none is named */
        default: boolean;
      }[];
      /** Engines that read text from images: usually one, and one per setup if machines differ */
      ocr: {
        /** `tesseract` is the system's program */
        name: 'tesseract' | 'tesseract.js';
        /** Version of the model */
        version: string;
        /** Values for `languages` in a request */
        languages: string[];
        /** Running workers */
        workers: number;
      }[];
      /** What machines of workers lack. Requests that need it fail with `feature_unavailable` */
      missing: {
        /** Such as `search` or `signing` */
        name: string;
        /** What does not work */
        feature: string;
        /** Whether everything else of the feature works without it */
        optional: boolean;
        /** What is missing, and what to install */
        message: string;
        /** Pools of workers and their queues */
        pools: string[];
      }[];
      /** Time of the check */
      checked_at: string;
    };
  };
  /** Create a batch of up to 10,000 requests */
  'POST /batches': {
    /** JSON body */
    body: {
      /** For items that name none */
      kind?: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription' | undefined;
      /** Default fields of the items’ bodies. With `kind`, they apply to items of that kind only */
      defaults?: Record<string, unknown> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
      /** When items that have not started expire: at most 7 days from now. Default: in 24 hours */
      expires_at?: string | undefined;
      /** Whether to run chats, responses, and embeddings through the batch endpoint of their provider, for half the price. Results may take up to 24 hours. Default: false */
      economy?: boolean | undefined;
      /** With `economy`: whether items that the provider's batch endpoint expired or failed to answer run the normal way, for the full price */
      economy_fallback?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** The items */
      items: BatchItemRequest[];
    };
    /** The answer */
    answer: Batch;
  };
  /** List batches */
  'GET /batches': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those with this status */
      status?: 'running' | 'completed' | 'cancelling' | 'cancelled' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Batch[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get a batch */
  'GET /batches/{batch_id}': {
    /** Values of the path */
    path: {
      /** The batch's id */
      batch_id: string;
    };
    /** The answer */
    answer: Batch;
  };
  /** Delete a finished batch */
  'DELETE /batches/{batch_id}': {
    /** Values of the path */
    path: {
      /** The batch's id */
      batch_id: string;
    };
    /** Query parameters */
    query?: {
      /** Also deletes the assets that its executions generated. */
      assets?: 'true' | 'false' | undefined;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Follow a batch */
  'GET /batches/{batch_id}/events': {
    /** Values of the path */
    path: {
      /** The batch's id */
      batch_id: string;
    };
    /** The answer */
    answer: BatchFrame;
  };
  /** List a batch's items */
  'GET /batches/{batch_id}/items': {
    /** Values of the path */
    path: {
      /** The batch's id */
      batch_id: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those with this status */
      status?: 'waiting' | 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelled' | 'skipped' | 'expired' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: BatchItem[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get a batch's results */
  'GET /batches/{batch_id}/results': {
    /** Values of the path */
    path: {
      /** The batch's id */
      batch_id: string;
    };
    /** Query parameters */
    query?: {
      /** `cursor` of the last line you received */
      after?: string | undefined;
      /** `true`: continues until the batch has ended */
      follow?: 'true' | 'false' | undefined;
    };
    /** The answer */
    answer: BatchResult;
  };
  /** Cancel a batch */
  'POST /batches/{batch_id}/cancel': {
    /** Values of the path */
    path: {
      /** The batch's id */
      batch_id: string;
    };
    /** The answer */
    answer: Batch;
  };
  /** Retry the unsuccessful items of a batch */
  'POST /batches/{batch_id}/retry': {
    /** Values of the path */
    path: {
      /** The batch's id */
      batch_id: string;
    };
    /** The answer */
    answer: Batch;
  };
  /** Create a session */
  'POST /sessions': {
    /** JSON body */
    body?: {
      /** Its title */
      title?: string | null | undefined;
      /** Whether it is listed first */
      pinned?: boolean | undefined;
      /** Whether it is starred */
      starred?: boolean | undefined;
      /** Whether it is left out of lists and soon erased */
      temporary?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
    };
    /** The answer */
    answer: Session;
  };
  /** List your sessions */
  'GET /sessions': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those that are pinned, or only those that are not */
      pinned?: 'true' | 'false' | undefined;
      /** Only those that are starred, or only those that are not */
      starred?: 'true' | 'false' | undefined;
      /** Default: `false`; with `q`, archived sessions are found, too. */
      archived?: 'true' | 'false' | undefined;
      /** `fld_…`: only sessions of this folder. */
      folder_id?: string | undefined;
      /** Words of titles and messages. */
      q?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Session[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Export all of your sessions */
  'GET /sessions/export': {
    /** The answer */
    answer: SessionExport;
  };
  /** Export a session */
  'GET /sessions/{session_id}/export': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** Query parameters */
    query?: {
      /** `markdown` is for reading; it cannot be imported. */
      format?: 'json' | 'markdown' | undefined;
    };
    /** The answer */
    answer: SessionExport;
  };
  /** Import sessions */
  'POST /sessions/import': {
    /** JSON body */
    body: unknown[] | Record<string, unknown>;
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: ImportedSession[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
      /** How many were imported */
      imported: number;
      /** How many were skipped */
      skipped: number;
      /** How many failed */
      failed: number;
    };
  };
  /** Get a session */
  'GET /sessions/{session_id}': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** The answer */
    answer: Session;
  };
  /** Rename, pin, star, archive, move or keep a session */
  'PATCH /sessions/{session_id}': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** JSON body */
    body: {
      /** Its title */
      title?: string | null | undefined;
      /** Whether it is listed first */
      pinned?: boolean | undefined;
      /** Whether it is starred */
      starred?: boolean | undefined;
      /** Whether it is in the archive of sessions, hidden from lists */
      archived?: boolean | undefined;
      /** Turns a temporary session into a regular one */
      temporary?: false | undefined;
      /** `fld_…`: the folder to move it into; null: none */
      folder_id?: string | null | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
    };
    /** The answer */
    answer: Session;
  };
  /** Delete a session */
  'DELETE /sessions/{session_id}': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** List a session's messages */
  'GET /sessions/{session_id}/messages': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** `asc`: oldest first; `desc`: newest first. */
      order?: 'asc' | 'desc' | undefined;
      /** Include messages that a regeneration, or a restored version, has replaced. */
      include_superseded?: 'true' | 'false' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Message[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Fork a session */
  'POST /sessions/{session_id}/fork': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** JSON body */
    body?: {
      /** `msg_…`: the last message to copy. Default: the last one of the conversation. */
      message_id?: string | undefined;
      /** Default: the session's title with a note that this is a fork. */
      title?: string | undefined;
    };
    /** The answer */
    answer: Session;
  };
  /** Get a message */
  'GET /messages/{message_id}': {
    /** Values of the path */
    path: {
      /** The message's id */
      message_id: string;
    };
    /** The answer */
    answer: Message;
  };
  /** Edit a message */
  'PATCH /messages/{message_id}': {
    /** Values of the path */
    path: {
      /** The message's id */
      message_id: string;
    };
    /** JSON body */
    body: {
      /** The text or its parts */
      content: string;
    };
    /** The answer */
    answer: Message;
  };
  /** Delete a message with its history */
  'DELETE /messages/{message_id}': {
    /** Values of the path */
    path: {
      /** The message's id */
      message_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** List a message's revisions */
  'GET /messages/{message_id}/history': {
    /** Values of the path */
    path: {
      /** The message's id */
      message_id: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: MessageRevision[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Undo the last edit of a message */
  'POST /messages/{message_id}/undo': {
    /** Values of the path */
    path: {
      /** The message's id */
      message_id: string;
    };
    /** The answer */
    answer: Message;
  };
  /** Make an earlier version of an answer current again */
  'POST /messages/{message_id}/restore': {
    /** Values of the path */
    path: {
      /** The message's id */
      message_id: string;
    };
    /** The answer */
    answer: Message;
  };
  /** Rate an answer */
  'POST /messages/{message_id}/rate': {
    /** Values of the path */
    path: {
      /** The message's id */
      message_id: string;
    };
    /** JSON body */
    body: {
      /** Null removes the rating */
      rating: 'up' | 'down' | null;
    };
    /** The answer */
    answer: Message;
  };
  /** Create a ticket for the voice socket */
  'POST /voice/tickets': {
    /** The answer */
    answer: VoiceTicket;
  };
  /** Get voice options and past spoken turns */
  'POST /voice/chat/meta': {
    /** JSON body */
    body?: {
      /** Include the state and spoken turns of this session */
      session_id?: string | undefined;
      /** Include only this turn */
      execution_id?: string | undefined;
      /** Number of messages of the session to read */
      limit?: number | undefined;
      /** `next_cursor` of the previous page */
      after?: string | undefined;
    };
    /** The answer */
    answer: VoiceMeta;
  };
  /** Interrupt a session's spoken answer */
  'POST /voice/interrupt/{session_id}': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'voice.interruption';
      /** `ses_…`: the session; null: none */
      session_id: string;
      /** False: no turn was running, and nothing was being spoken */
      interrupted: boolean;
      /** The execution that wrote the answer */
      execution_id: string | null;
      /** The answer, cut to what was played */
      message_id: string | null;
      /** How much of its audio was played; null: unknown */
      heard_ms: number | null;
      /** The text that was played; null: unknown */
      heard: string | null;
    };
  };
  /** Add files */
  'POST /console/knowledge/upload': {
    /** Multipart form */
    form: {
      /** The file, with a file name */
      file: Blob[];
      /** Only for a single file */
      title?: string | undefined;
      /** Keywords for finding it */
      tags?: string[] | undefined;
      /** For pages that need OCR, the most likely first */
      languages?: string[] | undefined;
      /** If you have added the same content to this scope already: return that entry, or create another */
      on_duplicate?: 'reuse' | 'create' | undefined;
      /** Adds it for a conversation instead of the scope: name its id in `attachments` of a message within a day, and only that conversation uses it. Always creates a new entry */
      for_conversation?: boolean | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: KnowledgeCreated | KnowledgeUploaded;
  };
  /** Add a text or web page */
  'POST /console/knowledge': {
    /** JSON body */
    body: {
      /** Default: the document's own title, or the start of its text */
      title?: string | undefined;
      /** The text; cannot be combined with `url` or `asset_id` */
      content?: string | undefined;
      /** The public URL of a page or file */
      url?: string | undefined;
      /** A stored file. It outlives the entry */
      asset_id?: string | undefined;
      /** Format of `content`. Default: markdown */
      format?: 'text' | 'markdown' | 'html' | undefined;
      /** Keywords for finding it */
      tags?: string[] | undefined;
      /** For pages that need OCR, the most likely first */
      languages?: string[] | undefined;
      /** If you have added the same content to this scope already: return that entry, or create another */
      on_duplicate?: 'reuse' | 'create' | undefined;
      /** Adds it for a conversation instead of the scope: name its id in `attachments` of a message within a day, and only that conversation uses it. Always creates a new entry */
      for_conversation?: boolean | undefined;
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: KnowledgeCreated;
  };
  /** List entries */
  'GET /console/knowledge': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those with this status */
      status?: 'processing' | 'ready' | 'failed' | undefined;
      /** Only those with this tag */
      tag?: string | undefined;
      /** Only those from this kind of source */
      source?: 'text' | 'url' | 'file' | undefined;
      /** Words of the title. */
      q?: string | undefined;
      /** `ses_…`: the documents of this conversation, instead of those of the scope */
      session_id?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: KnowledgeEntry[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
      /** How many have each status */
      counts: {
        /** Total */
        total: number;
        /** How many are being processed */
        processing: number;
        /** How many can be used */
        ready: number;
        /** How many failed */
        failed: number;
      };
    };
  };
  /** Get an entry */
  'GET /console/knowledge/{entry_id}': {
    /** Values of the path */
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    /** The answer */
    answer: KnowledgeEntry;
  };
  /** Update an entry */
  'PATCH /console/knowledge/{entry_id}': {
    /** Values of the path */
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    /** JSON body */
    body: {
      /** Its title */
      title?: string | undefined;
      /** Keywords for finding it */
      tags?: string[] | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
      /** The new text, ingested as a new revision. The old one is used until then */
      content?: string | undefined;
      /** Format of the content */
      format?: 'text' | 'markdown' | 'html' | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: KnowledgeEntry;
  };
  /** Delete an entry */
  'DELETE /console/knowledge/{entry_id}': {
    /** Values of the path */
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** List an entry's chunks */
  'GET /console/knowledge/{entry_id}/chunks': {
    /** Values of the path */
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: KnowledgeChunk[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Retry a failed entry */
  'POST /console/knowledge/{entry_id}/retry': {
    /** Values of the path */
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    /** JSON body */
    body?: {
      /** Whether to stream the answer as server-sent events */
      stream?: boolean | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    /** The answer */
    answer: Execution;
  };
  /** Get an asset's content */
  'GET /assets/{asset_id}/content': {
    /** Values of the path */
    path: {
      /** The asset's id */
      asset_id: string;
    };
    /** Query parameters */
    query?: {
      /** Part of a signed URL. */
      expires?: string | undefined;
      /** Part of a signed URL. */
      signature?: string | undefined;
    };
    /** The answer */
    answer: Blob;
  };
  /** Get an asset's thumbnail */
  'GET /assets/{asset_id}/thumbnail': {
    /** Values of the path */
    path: {
      /** The asset's id */
      asset_id: string;
    };
    /** Query parameters */
    query?: {
      /** Part of a signed URL. */
      expires?: string | undefined;
      /** Part of a signed URL. */
      signature?: string | undefined;
    };
    /** The answer */
    answer: Blob;
  };
  /** Upload a file */
  'POST /assets': {
    /** Multipart form */
    form: {
      /** The file, with a filename */
      file: Blob;
    };
    /** The answer */
    answer: OwnedAsset;
  };
  /** List assets */
  'GET /assets': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those of this kind */
      kind?: 'image' | 'video' | 'audio' | 'document' | 'other' | undefined;
      /** Only assets that this execution generated. */
      execution_id?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: OwnedAsset[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get an asset */
  'GET /assets/{asset_id}': {
    /** Values of the path */
    path: {
      /** The asset's id */
      asset_id: string;
    };
    /** The answer */
    answer: OwnedAsset;
  };
  /** Delete an asset */
  'DELETE /assets/{asset_id}': {
    /** Values of the path */
    path: {
      /** The asset's id */
      asset_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Archive a text or a snapshot */
  'POST /archive/units': {
    /** JSON body */
    body: {
      /** Default: the title of the original, or the start of the content */
      title?: string | undefined;
      /** Cannot be combined with `from` */
      content?: string | undefined;
      /** First day, in UTC */
      from?: {
        /** Distinguishes the alternatives */
        type: 'session' | 'message' | 'knowledge';
        /** Its id */
        id: string;
      } | undefined;
      /** Keywords for finding it */
      tags?: string[] | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
    };
    /** The answer */
    answer: ArchiveUnit;
  };
  /** List archive units */
  'GET /archive/units': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those with this tag */
      tag?: string | undefined;
      /** Only those from this kind of source */
      source?: 'session' | 'message' | 'knowledge' | 'text' | undefined;
      /** Only those from this record */
      source_id?: string | undefined;
      /** Words of title and content; the best matches come first. */
      q?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: ArchiveUnit[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get an archive unit */
  'GET /archive/units/{unit_id}': {
    /** Values of the path */
    path: {
      /** The archive's id */
      unit_id: string;
    };
    /** The answer */
    answer: ArchiveUnit;
  };
  /** Update an archive unit */
  'PATCH /archive/units/{unit_id}': {
    /** Values of the path */
    path: {
      /** The archive's id */
      unit_id: string;
    };
    /** JSON body */
    body: {
      /** Its title */
      title?: string | undefined;
      /** The text or its parts */
      content?: string | undefined;
      /** Keywords for finding it */
      tags?: string[] | undefined;
      /** Up to 16 key-value pairs of text, stored with it and returned */
      metadata?: Record<string, string> | undefined;
    };
    /** The answer */
    answer: ArchiveUnit;
  };
  /** Delete an archive unit */
  'DELETE /archive/units/{unit_id}': {
    /** Values of the path */
    path: {
      /** The archive's id */
      unit_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** List an archive unit's revisions */
  'GET /archive/units/{unit_id}/revisions': {
    /** Values of the path */
    path: {
      /** The archive's id */
      unit_id: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: ArchiveRevision[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Export the archive */
  'GET /archive/export': {
    /** Query parameters */
    query?: {
      /** The `id` of the last line you received; the export continues after it. */
      after?: string | undefined;
      /** Only those with this tag */
      tag?: string | undefined;
      /** Only those from this kind of source */
      source?: 'session' | 'message' | 'knowledge' | 'text' | undefined;
    };
    /** The answer */
    answer: ArchiveUnit;
  };
  /** List webhook deliveries */
  'GET /webhook-deliveries': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only those of this execution */
      execution_id?: string | undefined;
      /** Only those of this batch */
      batch_id?: string | undefined;
      /** Only those with this status */
      status?: 'pending' | 'delivered' | 'failed' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: WebhookDelivery[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get a webhook delivery */
  'GET /webhook-deliveries/{delivery_id}': {
    /** Values of the path */
    path: {
      /** The webhookDelivery's id */
      delivery_id: string;
    };
    /** The answer */
    answer: WebhookDelivery;
  };
  /** Redeliver a webhook */
  'POST /webhook-deliveries/{delivery_id}/redeliver': {
    /** Values of the path */
    path: {
      /** The webhookDelivery's id */
      delivery_id: string;
    };
    /** The answer */
    answer: WebhookDelivery;
  };
  /** Get the scope's webhook signing secret */
  'GET /webhook-secret': {
    /** The answer */
    answer: WebhookSecret;
  };
  /** Rotate the webhook signing secret */
  'POST /webhook-secret/rotate': {
    /** The answer */
    answer: WebhookSecret;
  };
  /** List available models */
  'GET /models': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. Default: all models. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Model[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** List kinds of work */
  'GET /kinds': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Kind[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get usage by day, model and API key, and storage */
  'GET /usage': {
    /** Query parameters */
    query?: {
      /** First day, in UTC; default: 29 days before `to`. */
      from?: string | undefined;
      /** Last day, in UTC; default: today. */
      to?: string | undefined;
    };
    /** The answer */
    answer: UsageReport;
  };
  /** Log in */
  'POST /auth/login': {
    /** JSON body */
    body: {
      /** Email address */
      email: string;
      /** The password */
      password: string;
      /** A code from your authenticator app, or a recovery code. Required with two-factor authentication */
      totp_code?: string | undefined;
    };
    /** The answer */
    answer: TokenAnswer;
  };
  /** Refresh tokens */
  'POST /auth/refresh': {
    /** JSON body */
    body?: {
      /** Omit it to use the cookie */
      refresh_token?: string | undefined;
    };
    /** The answer */
    answer: TokenAnswer;
  };
  /** Complete a login with a code */
  'POST /auth/totp': {
    /** JSON body */
    body: {
      /** The challenge from `totp_required` */
      challenge: string;
      /** A code from your authenticator app, or a recovery code */
      code: string;
    };
    /** The answer */
    answer: TokenAnswer;
  };
  /** Log out */
  'POST /auth/logout': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'logout';
      /** Whether the login was ended */
      logged_out: true;
    };
  };
  /** Log out with the cookie */
  'POST /auth/forget': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'logout';
      /** Whether the login was ended */
      logged_out: true;
    };
  };
  /** List the ways to log in */
  'GET /auth/methods': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'auth.methods';
      /** Whether users log in with a password */
      password: boolean;
      /** Single sign-on; null: off */
      oidc: {
        /** Name of the identity provider, for a button */
        name: string;
      } | null;
    };
  };
  /** Begin a login at the identity provider */
  'POST /auth/oidc-start': {
    /** JSON body */
    body?: {
      /** Path of the console to return to */
      return_to?: string | undefined;
      /** `confirm`: the provider asks for the credentials again, and its ticket replaces your password once */
      purpose?: 'login' | 'confirm' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'oidc.start';
      /** The identity provider's page to open in this browser, within ten minutes */
      url: string;
    };
  };
  /** Return from the identity provider */
  'GET /auth/oidc-callback': {
    /** The answer */
    answer: string;
  };
  /** End the login at the identity provider */
  'GET /auth/oidc-end': {
    /** The answer */
    answer: string;
  };
  /** Complete a login at the identity provider */
  'POST /auth/oidc': {
    /** JSON body */
    body: {
      /** The ticket that the console got in its address. Works once */
      ticket: string;
    };
    /** The answer */
    answer: TokenAnswer;
  };
  /** Begin a login of a device */
  'POST /auth/device': {
    /** The answer */
    answer: {
      /** For `POST /auth/device/token`. Keep it secret */
      device_code: string;
      /** Shown to the user, such as `BCDF-GHJK` */
      user_code: string;
      /** Where the user enters the code */
      verification_uri: string;
      /** The same page with the code */
      verification_uri_complete: string;
      /** Seconds */
      expires_in: number;
      /** Seconds between two requests for the token */
      interval: number;
    };
  };
  /** Get a device that waits for approval */
  'GET /auth/device': {
    /** Query parameters */
    query?: {
      /** The code that the device shows */
      user_code: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'device';
      /** The code that the device shows */
      user_code: string;
      /** The program that asked */
      user_agent: string | null;
      /** IP address of the program */
      address: string | null;
      /** When the program asked */
      requested_at: string;
      /** When the code expires */
      expires_at: string;
    };
  };
  /** Complete a login of a device */
  'POST /auth/device/token': {
    /** JSON body */
    body: {
      /** From `POST /auth/device` */
      device_code: string;
      /** Optional, as in RFC 8628 */
      grant_type?: 'urn:ietf:params:oauth:grant-type:device_code' | undefined;
    };
    /** The answer */
    answer: TokenAnswer;
  };
  /** Approve or deny a device */
  'POST /auth/device/decision': {
    /** JSON body */
    body: {
      /** The code that the device shows */
      user_code: string;
      /** Whether the device may log in as you */
      approve: boolean;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'device.decision';
      /** Whether the device was approved */
      approved: boolean;
    };
  };
  /** Get the current user and scope */
  'GET /me': {
    /** The answer */
    answer: {
      /** `usr_…` */
      id: string;
      /** Names the type of this object */
      object: 'user';
      /** Email address */
      email: string;
      /** May operate the platform: see queues, manage users and providers */
      operator: boolean;
      /** Time of creation */
      created_at: string;
      /** Who owns it: you (`personal`) or a workspace */
      scope: {
        /** Distinguishes the alternatives */
        type: 'personal' | 'workspace';
        /** The workspace; null: personal */
        workspace_id: string | null;
        /** Your rights in this scope */
        role: 'viewer' | 'editor' | 'admin' | 'owner';
      };
    };
  };
  /** Get your custom instructions */
  'GET /me/instructions': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'custom_instructions';
      /** What the user tells models about themselves */
      about_me: string;
      /** How models should answer */
      answer_style: string;
      /** Whether it is on */
      enabled: boolean;
    };
  };
  /** Change your custom instructions */
  'PATCH /me/instructions': {
    /** JSON body */
    body: {
      /** What models should know about you */
      about_me?: string | undefined;
      /** How models should answer */
      answer_style?: string | undefined;
      /** Whether the console uses them in new conversations. Default: true */
      enabled?: boolean | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'custom_instructions';
      /** What the user tells models about themselves */
      about_me: string;
      /** How models should answer */
      answer_style: string;
      /** Whether it is on */
      enabled: boolean;
    };
  };
  /** Download your data */
  'GET /me/export': {
    /** Query parameters */
    query?: {
      /** Whether to include the files themselves */
      files?: 'true' | 'false' | undefined;
    };
    /** The answer */
    answer: Blob;
  };
  /** Get what deleting your account means */
  'GET /me/deletion': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'account_deletion';
      /** Whether password login is enabled */
      password: boolean;
      /** The identity provider where you can confirm the deletion instead; null: none */
      identity_provider: string | null;
      /** Whether a code from the authenticator app is needed */
      needs_code: boolean;
      /** Workspaces with no other member, which are erased, too */
      erased_workspaces: {
        /** Its id */
        id: string;
        /** Its name */
        name: string;
      }[];
      /** Workspaces with other members that need another owner first */
      blocking_workspaces: {
        /** Its id */
        id: string;
        /** Its name */
        name: string;
      }[];
      /** Whether you are the only operator: the platform needs another one first */
      only_operator: boolean;
    };
  };
  /** Delete your account */
  'POST /me/deletion': {
    /** JSON body */
    body: {
      /** The current password */
      current_password?: string | undefined;
      /** A ticket from the identity provider, instead of the password: see `POST /auth/oidc-start`. Works once */
      ticket?: string | undefined;
      /** A code from your authenticator app, or a recovery code. Required with two-factor authentication */
      code?: string | undefined;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Change your password */
  'POST /me/password': {
    /** JSON body */
    body: {
      /** The current password */
      current_password: string;
      /** The new password */
      new_password: string;
      /** Ends all your other logins. */
      end_logins?: boolean | undefined;
      /** Revokes all your API keys. */
      revoke_keys?: boolean | undefined;
    };
    /** The answer */
    answer: User;
  };
  /** List your logins */
  'GET /me/logins': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: LoginSession[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** End all your other logins */
  'DELETE /me/logins': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'logins';
      /** Number of logins that were ended */
      ended: number;
    };
  };
  /** End one of your logins */
  'DELETE /me/logins/{login_id}': {
    /** Values of the path */
    path: {
      /** The login's id */
      login_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Get your two-factor authentication status */
  'GET /me/totp': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'totp';
      /** Whether it is on */
      enabled: boolean;
      /** Time since which it is on; null: it is off */
      enabled_at: string | null;
      /** Number of unused recovery codes */
      recovery_codes_left: number;
    };
  };
  /** Set up two-factor authentication */
  'POST /me/totp': {
    /** JSON body */
    body: {
      /** The current password */
      current_password: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'totp.enrolment';
      /** In base32, for typing in */
      secret: string;
      /** `otpauth://…`, for a QR code */
      uri: string;
      /** Time limit for confirming it with a code */
      expires_at: string;
    };
  };
  /** Turn two-factor authentication on */
  'POST /me/totp/confirm': {
    /** JSON body */
    body: {
      /** Code of the authenticator app, or a recovery code */
      code: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'totp.recovery_codes';
      /** Each works once, without the app. Shown only once */
      recovery_codes: string[];
    };
  };
  /** Replace your recovery codes */
  'POST /me/totp/recovery-codes': {
    /** JSON body */
    body: {
      /** The current password */
      current_password: string;
      /** Code of the authenticator app, or a recovery code */
      code: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'totp.recovery_codes';
      /** Each works once, without the app. Shown only once */
      recovery_codes: string[];
    };
  };
  /** Turn two-factor authentication off */
  'POST /me/totp/disable': {
    /** JSON body */
    body: {
      /** The current password */
      current_password: string;
      /** Code of the authenticator app, or a recovery code */
      code: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'totp';
      /** Whether it is on */
      enabled: boolean;
      /** Time since which it is on; null: it is off */
      enabled_at: string | null;
      /** Number of unused recovery codes */
      recovery_codes_left: number;
    };
  };
  /** Create an API key */
  'POST /api-keys': {
    /** JSON body */
    body: {
      /** Its name */
      name: string;
      /** `read`: get and list; `write`: create, edit, delete; `run`: run models, cancel, retry; `manage`: members, invitations, the audit log; `operator`: users and queues of the platform, for operators only and never together with `workspace_id`. A key can never do more than its user, and no key can create keys or change passwords. */
      permissions?: ('read' | 'write' | 'run' | 'manage' | 'operator')[] | undefined;
      /** Binds the key to this workspace: it only works in that scope, and only lists its records. */
      workspace_id?: string | null | undefined;
      /** Time after which it is no longer valid; null: never */
      expires_at?: string | null | undefined;
      /** Requests per minute, over all rate limit classes. */
      rate_limit?: number | null | undefined;
      /** What the key may spend per month, in US dollars. `/api-keys/{id}/budget` shows and changes it. */
      monthly_budget_usd?: number | null | undefined;
    };
    /** The answer */
    answer: CreatedApiKey;
  };
  /** List your API keys */
  'GET /api-keys': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: ApiKey[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Revoke an API key permanently */
  'POST /api-keys/{key_id}/revoke': {
    /** Values of the path */
    path: {
      /** The apiKey's id */
      key_id: string;
    };
    /** The answer */
    answer: ApiKey;
  };
  /** Disable or enable an API key */
  'POST /api-keys/{key_id}/disable': {
    /** Values of the path */
    path: {
      /** The apiKey's id */
      key_id: string;
    };
    /** JSON body */
    body?: {
      /** `false` enables the key again. */
      disabled?: boolean | undefined;
    };
    /** The answer */
    answer: ApiKey;
  };
  /** Get an API key's budget */
  'GET /api-keys/{key_id}/budget': {
    /** Values of the path */
    path: {
      /** The apiKey's id */
      key_id: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'budget';
      /** The workspace with this budget; null: it belongs to an API key */
      workspace_id: string | null;
      /** `key_…`: the API key with this budget; null: it belongs to a workspace */
      api_key_id: string | null;
      /** Limit per day; null: none */
      daily_usd: number | null;
      /** Limit per month; null: none */
      monthly_usd: number | null;
      /** Receives `budget.warning` and `budget.exceeded`; null: none */
      webhook_url: string | null;
      /** One for each limit that is set */
      periods: {
        /** A day or a month in UTC */
        period: 'daily' | 'monthly';
        /** The limit */
        limit_usd: number;
        /** Cost of ended executions that began in this period, where prices are known */
        spent_usd: number;
        /** The most that running executions can still cost, where prices are known */
        reserved_usd: number;
        /** Models without a known price that have run in this period. The budget does not count their calls */
        unpriced_models: string[];
        /** When the day or month ends */
        resets_at: string;
      }[];
    };
  };
  /** Change an API key's budget */
  'PATCH /api-keys/{key_id}/budget': {
    /** Values of the path */
    path: {
      /** The apiKey's id */
      key_id: string;
    };
    /** JSON body */
    body?: {
      /** In US dollars. Null: none */
      daily_usd?: number | null | undefined;
      /** In US dollars. Null: none */
      monthly_usd?: number | null | undefined;
      /** Receives `budget.warning` at 80% of a limit, and `budget.exceeded` at 100%. Null: none */
      webhook_url?: string | null | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'budget';
      /** The workspace with this budget; null: it belongs to an API key */
      workspace_id: string | null;
      /** `key_…`: the API key with this budget; null: it belongs to a workspace */
      api_key_id: string | null;
      /** Limit per day; null: none */
      daily_usd: number | null;
      /** Limit per month; null: none */
      monthly_usd: number | null;
      /** Receives `budget.warning` and `budget.exceeded`; null: none */
      webhook_url: string | null;
      /** One for each limit that is set */
      periods: {
        /** A day or a month in UTC */
        period: 'daily' | 'monthly';
        /** The limit */
        limit_usd: number;
        /** Cost of ended executions that began in this period, where prices are known */
        spent_usd: number;
        /** The most that running executions can still cost, where prices are known */
        reserved_usd: number;
        /** Models without a known price that have run in this period. The budget does not count their calls */
        unpriced_models: string[];
        /** When the day or month ends */
        resets_at: string;
      }[];
    };
  };
  /** Create an agent */
  'POST /agents': {
    /** JSON body */
    body: {
      /** Its name */
      name: string;
      /** Instructions that precede the conversation */
      instructions?: string | null | undefined;
      /** `provider/model`; null: the configured default */
      model?: string | null | undefined;
      /** Randomness of the answer, 0 to 2 */
      temperature?: number | null | undefined;
      /** Entries with one of these tags are used for answers */
      knowledge_tags?: string[] | undefined;
      /** Voice of spoken answers */
      voice?: string | null | undefined;
      /** Models to fall back to, in this order, when one fails before producing output */
      fallbacks?: string[] | undefined;
      /** Tools that the agent runs on the server, in chat and voice turns */
      tools?: ({
        /** Distinguishes the alternatives */
        type: 'knowledge_search';
        /** Only entries with one of these tags. Default: all entries of the scope */
        tags?: string[] | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'web_fetch';
      } | {
        /** Distinguishes the alternatives */
        type: 'generate_image';
        /** `provider/model`. Default: the configured model */
        model?: string | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'read_document';
      } | {
        /** Distinguishes the alternatives */
        type: 'http';
        /** `api_…`: a registered API */
        api_id: string;
        /** Ids of its operations. Default: all */
        operations?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp';
        /** `mcp_…`: a registered MCP server */
        server_id: string;
        /** Names of its tools. Default: all */
        allowed_tools?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      })[] | undefined;
      /** Maximum number of model answers in a turn that call tools. After that, the model answers without tools */
      max_steps?: number | undefined;
      /** Which calls need approval. `writes`: calls of servers and APIs that are not read-only */
      approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      /** A turn that has cost this much ends */
      max_cost_usd?: number | null | undefined;
    };
    /** The answer */
    answer: Agent;
  };
  /** List agents */
  'GET /agents': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Agent[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Create a folder for sessions */
  'POST /folders': {
    /** JSON body */
    body: {
      /** Its name */
      name: string;
    };
    /** The answer */
    answer: Folder;
  };
  /** List your folders */
  'GET /folders': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Folder[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Rename a folder */
  'PATCH /folders/{folder_id}': {
    /** Values of the path */
    path: {
      /** The folder's id */
      folder_id: string;
    };
    /** JSON body */
    body: {
      /** Its name */
      name: string;
    };
    /** The answer */
    answer: Folder;
  };
  /** Delete a folder */
  'DELETE /folders/{folder_id}': {
    /** Values of the path */
    path: {
      /** The folder's id */
      folder_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Share a session by link */
  'POST /sessions/{session_id}/shares': {
    /** Values of the path */
    path: {
      /** The session's id */
      session_id: string;
    };
    /** JSON body */
    body?: {
      /** `msg_…`: the last message to share. Default: the last one of the conversation. */
      message_id?: string | undefined;
      /** Default: never */
      expires_at?: string | null | undefined;
    };
    /** The answer */
    answer: CreatedShare;
  };
  /** List all members' links to sessions */
  'GET /shares/members': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: {
        /** `shr_…` */
        id: string;
        /** Names the type of this object */
        object: 'share';
        /** `ses_…`: the session; null: none */
        session_id: string;
        /** The session's title, which the link shows */
        title: string | null;
        /** Number of visible messages */
        message_count: number;
        /** Time of creation */
        created_at: string;
        /** Time after which it is no longer valid; null: never */
        expires_at: string | null;
        /** The member who made it */
        user_id: string;
      }[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** List your links to sessions */
  'GET /shares': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** `ses_…`: only links to this session. */
      session_id?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Share[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Revoke any member's link to a session */
  'DELETE /shares/members/{share_id}': {
    /** Values of the path */
    path: {
      /** The share's id */
      share_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Revoke a link to a session */
  'DELETE /shares/{share_id}': {
    /** Values of the path */
    path: {
      /** The share's id */
      share_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Get a shared session */
  'GET /shared/{token}': {
    /** Values of the path */
    path: {
      /** The shareToken's id */
      token: string;
    };
    /** The answer */
    answer: SharedSession;
  };
  /** List a shared session's messages */
  'GET /shared/{token}/messages': {
    /** Values of the path */
    path: {
      /** The shareToken's id */
      token: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: SharedMessage[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get an image of a shared session */
  'GET /shared/{token}/images/{asset_id}': {
    /** Values of the path */
    path: {
      /** The shareToken's id */
      token: string;
      /** The asset's id */
      asset_id: string;
    };
    /** The answer */
    answer: Blob;
  };
  /** Get an agent */
  'GET /agents/{agent_id}': {
    /** Values of the path */
    path: {
      /** The agent's id */
      agent_id: string;
    };
    /** The answer */
    answer: Agent;
  };
  /** Update an agent */
  'PATCH /agents/{agent_id}': {
    /** Values of the path */
    path: {
      /** The agent's id */
      agent_id: string;
    };
    /** JSON body */
    body: {
      /** Its name */
      name?: string | undefined;
      /** Instructions that precede the conversation */
      instructions?: string | null | undefined;
      /** `provider/model`; null: the configured default */
      model?: string | null | undefined;
      /** Randomness of the answer, 0 to 2 */
      temperature?: number | null | undefined;
      /** Entries with one of these tags are used for answers */
      knowledge_tags?: string[] | undefined;
      /** Voice of spoken answers */
      voice?: string | null | undefined;
      /** Models to fall back to, in this order, when one fails before producing output */
      fallbacks?: string[] | undefined;
      /** Tools that the agent runs on the server, in chat and voice turns */
      tools?: ({
        /** Distinguishes the alternatives */
        type: 'knowledge_search';
        /** Only entries with one of these tags. Default: all entries of the scope */
        tags?: string[] | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'web_fetch';
      } | {
        /** Distinguishes the alternatives */
        type: 'generate_image';
        /** `provider/model`. Default: the configured model */
        model?: string | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'read_document';
      } | {
        /** Distinguishes the alternatives */
        type: 'http';
        /** `api_…`: a registered API */
        api_id: string;
        /** Ids of its operations. Default: all */
        operations?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      } | {
        /** Distinguishes the alternatives */
        type: 'mcp';
        /** `mcp_…`: a registered MCP server */
        server_id: string;
        /** Names of its tools. Default: all */
        allowed_tools?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      })[] | undefined;
      /** Maximum number of model answers in a turn that call tools. After that, the model answers without tools */
      max_steps?: number | undefined;
      /** Which calls need approval. `writes`: calls of servers and APIs that are not read-only */
      approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      /** A turn that has cost this much ends */
      max_cost_usd?: number | null | undefined;
    };
    /** The answer */
    answer: Agent;
  };
  /** Delete an agent */
  'DELETE /agents/{agent_id}': {
    /** Values of the path */
    path: {
      /** The agent's id */
      agent_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Create a prompt */
  'POST /prompts': {
    /** JSON body */
    body: {
      /** Its name */
      name: string;
      /** The text. `{{name}}` is a variable, filled in when the prompt is used */
      content: string;
    };
    /** The answer */
    answer: Prompt;
  };
  /** List prompts */
  'GET /prompts': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Prompt[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get a prompt */
  'GET /prompts/{prompt_id}': {
    /** Values of the path */
    path: {
      /** The prompt's id */
      prompt_id: string;
    };
    /** The answer */
    answer: Prompt;
  };
  /** Update a prompt */
  'PATCH /prompts/{prompt_id}': {
    /** Values of the path */
    path: {
      /** The prompt's id */
      prompt_id: string;
    };
    /** JSON body */
    body: {
      /** Its name */
      name?: string | undefined;
      /** The text. `{{name}}` is a variable, filled in when the prompt is used */
      content?: string | undefined;
    };
    /** The answer */
    answer: Prompt;
  };
  /** Delete a prompt */
  'DELETE /prompts/{prompt_id}': {
    /** Values of the path */
    path: {
      /** The prompt's id */
      prompt_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Register an MCP server */
  'POST /mcp-servers': {
    /** JSON body */
    body: {
      /** Its name */
      name: string;
      /** Endpoint of streamable HTTP. Private hosts need `OUTBOUND_ALLOW` */
      url: string;
      /** Sent with each request, for example `Authorization`. Stored encrypted, and never returned */
      headers?: Record<string, string> | undefined;
      /** Names of tools that agents may use; null: all */
      allowed_tools?: string[] | null | undefined;
      /** Agents get no tools from a disabled server */
      enabled?: boolean | undefined;
      /** Calls that need approval whatever the `approval` of an agent is. `writes`: those that are not read-only */
      min_approval?: 'never' | 'writes' | 'always' | undefined;
    };
    /** The answer */
    answer: McpServer;
  };
  /** List MCP servers */
  'GET /mcp-servers': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: McpServer[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get an MCP server */
  'GET /mcp-servers/{server_id}': {
    /** Values of the path */
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    /** The answer */
    answer: McpServer;
  };
  /** Update an MCP server */
  'PATCH /mcp-servers/{server_id}': {
    /** Values of the path */
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    /** JSON body */
    body: {
      /** Its name */
      name?: string | undefined;
      /** Endpoint of streamable HTTP. Private hosts need `OUTBOUND_ALLOW` */
      url?: string | undefined;
      /** Names of tools that agents may use; null: all */
      allowed_tools?: string[] | null | undefined;
      /** Agents get no tools from a disabled server */
      enabled?: boolean | undefined;
      /** Calls that need approval whatever the `approval` of an agent is. `writes`: those that are not read-only */
      min_approval?: 'never' | 'writes' | 'always' | undefined;
      /** Replaces all headers. Required if the host or path of `url` changes */
      headers?: Record<string, string> | undefined;
    };
    /** The answer */
    answer: McpServer;
  };
  /** Delete an MCP server */
  'DELETE /mcp-servers/{server_id}': {
    /** Values of the path */
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** List the tools of an MCP server */
  'GET /mcp-servers/{server_id}/tools': {
    /** Values of the path */
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    /** The answer */
    answer: McpServerTools;
  };
  /** Register an API */
  'POST /tool-apis': {
    /** JSON body */
    body: {
      /** Its name */
      name: string;
      /** Agents get no tools from a disabled API */
      enabled?: boolean | undefined;
      /** Calls that need approval whatever the `approval` of an agent is. `writes`: those that are not read-only */
      min_approval?: 'never' | 'writes' | 'always' | undefined;
      /** An OpenAPI 3 document, as JSON or YAML. Instead of `document_url` */
      document?: string | undefined;
      /** The address of the document, which is read once, now */
      document_url?: string | undefined;
      /** Replaces the first server of the document */
      base_url?: string | undefined;
      /** Credentials. Stored encrypted, and never returned */
      auth?: {
        /** Distinguishes the alternatives */
        type: 'none';
      } | {
        /** Distinguishes the alternatives */
        type: 'bearer';
        /** Sent as `Authorization: Bearer` */
        token: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'header';
        /** Name of the header or query parameter */
        name: string;
        /** The secret that is sent */
        value: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'query';
        /** Name of the header or query parameter */
        name: string;
        /** The secret that is sent */
        value: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'basic';
        /** User name of HTTP basic authentication */
        username: string;
        /** Password of HTTP basic authentication */
        password: string;
      } | undefined;
    };
    /** The answer */
    answer: ToolApi;
  };
  /** List APIs */
  'GET /tool-apis': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: ToolApi[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get an API */
  'GET /tool-apis/{api_id}': {
    /** Values of the path */
    path: {
      /** The toolApi's id */
      api_id: string;
    };
    /** The answer */
    answer: ToolApi;
  };
  /** Update an API */
  'PATCH /tool-apis/{api_id}': {
    /** Values of the path */
    path: {
      /** The toolApi's id */
      api_id: string;
    };
    /** JSON body */
    body: {
      /** Its name */
      name?: string | undefined;
      /** Agents get no tools from a disabled API */
      enabled?: boolean | undefined;
      /** Calls that need approval whatever the `approval` of an agent is. `writes`: those that are not read-only */
      min_approval?: 'never' | 'writes' | 'always' | undefined;
      /** An OpenAPI 3 document, as JSON or YAML. Instead of `document_url` */
      document?: string | undefined;
      /** The address of the document, which is read once, now */
      document_url?: string | undefined;
      /** Replaces the first server of the document */
      base_url?: string | undefined;
      /** Replaces the credentials. Required if the host or path that is called changes */
      auth?: {
        /** Distinguishes the alternatives */
        type: 'none';
      } | {
        /** Distinguishes the alternatives */
        type: 'bearer';
        /** Sent as `Authorization: Bearer` */
        token: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'header';
        /** Name of the header or query parameter */
        name: string;
        /** The secret that is sent */
        value: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'query';
        /** Name of the header or query parameter */
        name: string;
        /** The secret that is sent */
        value: string;
      } | {
        /** Distinguishes the alternatives */
        type: 'basic';
        /** User name of HTTP basic authentication */
        username: string;
        /** Password of HTTP basic authentication */
        password: string;
      } | undefined;
    };
    /** The answer */
    answer: ToolApi;
  };
  /** Delete an API */
  'DELETE /tool-apis/{api_id}': {
    /** Values of the path */
    path: {
      /** The toolApi's id */
      api_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Create a workspace */
  'POST /workspaces': {
    /** JSON body */
    body: {
      /** Its name */
      name: string;
    };
    /** The answer */
    answer: Workspace;
  };
  /** List your workspaces */
  'GET /workspaces': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Workspace[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get a workspace */
  'GET /workspaces/{workspace_id}': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** The answer */
    answer: Workspace;
  };
  /** Rename a workspace */
  'PATCH /workspaces/{workspace_id}': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** JSON body */
    body: {
      /** Its name */
      name: string;
    };
    /** The answer */
    answer: Workspace;
  };
  /** Delete a workspace */
  'DELETE /workspaces/{workspace_id}': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Get a workspace's budget */
  'GET /workspaces/{workspace_id}/budget': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'budget';
      /** The workspace with this budget; null: it belongs to an API key */
      workspace_id: string | null;
      /** `key_…`: the API key with this budget; null: it belongs to a workspace */
      api_key_id: string | null;
      /** Limit per day; null: none */
      daily_usd: number | null;
      /** Limit per month; null: none */
      monthly_usd: number | null;
      /** Receives `budget.warning` and `budget.exceeded`; null: none */
      webhook_url: string | null;
      /** One for each limit that is set */
      periods: {
        /** A day or a month in UTC */
        period: 'daily' | 'monthly';
        /** The limit */
        limit_usd: number;
        /** Cost of ended executions that began in this period, where prices are known */
        spent_usd: number;
        /** The most that running executions can still cost, where prices are known */
        reserved_usd: number;
        /** Models without a known price that have run in this period. The budget does not count their calls */
        unpriced_models: string[];
        /** When the day or month ends */
        resets_at: string;
      }[];
    };
  };
  /** Change a workspace's budget */
  'PATCH /workspaces/{workspace_id}/budget': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** JSON body */
    body?: {
      /** In US dollars. Null: none */
      daily_usd?: number | null | undefined;
      /** In US dollars. Null: none */
      monthly_usd?: number | null | undefined;
      /** Receives `budget.warning` at 80% of a limit, and `budget.exceeded` at 100%. Null: none */
      webhook_url?: string | null | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'budget';
      /** The workspace with this budget; null: it belongs to an API key */
      workspace_id: string | null;
      /** `key_…`: the API key with this budget; null: it belongs to a workspace */
      api_key_id: string | null;
      /** Limit per day; null: none */
      daily_usd: number | null;
      /** Limit per month; null: none */
      monthly_usd: number | null;
      /** Receives `budget.warning` and `budget.exceeded`; null: none */
      webhook_url: string | null;
      /** One for each limit that is set */
      periods: {
        /** A day or a month in UTC */
        period: 'daily' | 'monthly';
        /** The limit */
        limit_usd: number;
        /** Cost of ended executions that began in this period, where prices are known */
        spent_usd: number;
        /** The most that running executions can still cost, where prices are known */
        reserved_usd: number;
        /** Models without a known price that have run in this period. The budget does not count their calls */
        unpriced_models: string[];
        /** When the day or month ends */
        resets_at: string;
      }[];
    };
  };
  /** List a workspace's members */
  'GET /workspaces/{workspace_id}/members': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Member[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Change a member's role */
  'PATCH /workspaces/{workspace_id}/members/{user_id}': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
      /** The user's id */
      user_id: string;
    };
    /** JSON body */
    body: {
      /** Author of the message, or role of the member */
      role: 'viewer' | 'editor' | 'admin' | 'owner';
    };
    /** The answer */
    answer: Member;
  };
  /** Remove a member */
  'DELETE /workspaces/{workspace_id}/members/{user_id}': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
      /** The user's id */
      user_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Leave a workspace */
  'POST /workspaces/{workspace_id}/leave': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Invite someone to a workspace */
  'POST /workspaces/{workspace_id}/invitations': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** JSON body */
    body: {
      /** Email address */
      email: string;
      /** Author of the message, or role of the member */
      role?: 'viewer' | 'editor' | 'admin' | 'owner' | undefined;
      /** Seconds until it expires */
      expires_in_s?: number | undefined;
    };
    /** The answer */
    answer: CreatedInvitation;
  };
  /** List a workspace's open invitations */
  'GET /workspaces/{workspace_id}/invitations': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Invitation[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Revoke an invitation */
  'DELETE /workspaces/{workspace_id}/invitations/{invitation_id}': {
    /** Values of the path */
    path: {
      /** The workspace's id */
      workspace_id: string;
      /** The invitation's id */
      invitation_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Accept an invitation with a new account */
  'POST /invitations/accept': {
    /** JSON body */
    body: {
      /** The token of the invitation */
      token: string;
      /** The password of the new account */
      password: string;
    };
    /** The answer */
    answer: TokenAnswer;
  };
  /** Accept an invitation with your account */
  'POST /me/invitations/accept': {
    /** JSON body */
    body: {
      /** The token of the invitation */
      token: string;
    };
    /** The answer */
    answer: Workspace;
  };
  /** List audit log entries */
  'GET /audit': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** Only entries of this action */
      action?: 'login.succeeded' | 'login.failed' | 'login.ended' | 'login.token_reused' | 'password.changed' | 'identity.linked' | 'totp.enabled' | 'totp.disabled' | 'totp.reset' | 'totp.recovery_code_used' | 'totp.recovery_codes_renewed' | 'user.created' | 'user.disabled' | 'user.enabled' | 'user.left' | 'user.operator_granted' | 'user.operator_revoked' | 'api_key.created' | 'api_key.disabled' | 'api_key.enabled' | 'api_key.revoked' | 'workspace.created' | 'workspace.renamed' | 'workspace.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'member.left' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'budget.changed' | 'webhook_secret.rotated' | 'signing_key.rotated' | 'signing_key.revoked' | 'secret_key.rotated' | 'provider_key.set' | 'provider_key.removed' | 'provider.stopped' | 'provider.resumed' | 'lane.resumed' | 'model_settings.changed' | 'limits.changed' | 'mcp_server.created' | 'mcp_server.changed' | 'mcp_server.deleted' | 'tool_api.created' | 'tool_api.changed' | 'tool_api.deleted' | 'agent.deleted' | 'prompt.deleted' | 'archive_unit.deleted' | 'asset.deleted' | 'batch.deleted' | 'tool_call.approved' | 'tool_call.denied' | 'execution.cancelled_by_operator' | 'execution.deleted' | 'execution.retried_by_operator' | 'knowledge.deleted' | 'session.deleted' | 'share.created' | 'share.revoked' | 'message.deleted' | undefined;
      /** Only actions of this user. */
      user_id?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: AuditEntry[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get the default models and fallbacks */
  'GET /model-settings': {
    /** The answer */
    answer: ModelSettings;
  };
  /** Change the default models and fallbacks */
  'PATCH /model-settings': {
    /** JSON body */
    body: {
      /** `provider/model`. Null: the first model that can do it */
      chat?: string | null | undefined;
      /** `provider/model`. Null: the first model that can do it */
      image?: string | null | undefined;
      /** `provider/model`. Null: the first model that can do it */
      video?: string | null | undefined;
      /** `provider/model`. Null: the first model that can do it */
      speech?: string | null | undefined;
      /** `provider/model`. Null: the first model that can do it */
      transcription?: string | null | undefined;
      /** Chains of chat models: the others answer, in this order, when the first fails */
      fallbacks?: string[][] | undefined;
    };
    /** The answer */
    answer: ModelSettings;
  };
  /** List providers and their keys */
  'GET /providers': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Provider[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Store a provider's key */
  'PATCH /providers/{provider}': {
    /** Values of the path */
    path: {
      /** The provider's id */
      provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
    };
    /** JSON body */
    body: {
      /** The key of the provider */
      api_key?: unknown & unknown | undefined;
      /** Only for `compatible`: the address of an OpenAI-compatible server */
      base_url?: string | undefined;
    };
    /** The answer */
    answer: Provider;
  };
  /** Remove a provider's stored key */
  'DELETE /providers/{provider}': {
    /** Values of the path */
    path: {
      /** The provider's id */
      provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
    };
    /** The answer */
    answer: Provider;
  };
  /** Test a provider's key */
  'POST /providers/{provider}/test': {
    /** Values of the path */
    path: {
      /** The provider's id */
      provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
    };
    /** JSON body */
    body?: {
      /** The key of the provider */
      api_key?: unknown & unknown | undefined;
      /** Only for `compatible`: the address of an OpenAI-compatible server */
      base_url?: string | undefined;
    };
    /** The answer */
    answer: ProviderTest;
  };
  /** List all users */
  'GET /users': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: ListedUser[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Get usage by day and user */
  'GET /users/usage': {
    /** Query parameters */
    query?: {
      /** First day, in UTC; default: 29 days before `to`. */
      from?: string | undefined;
      /** Last day, in UTC; default: today. */
      to?: string | undefined;
    };
    /** The answer */
    answer: UserUsageReport;
  };
  /** Get the limits of users and scopes */
  'GET /limits': {
    /** The answer */
    answer: PlatformLimits;
  };
  /** Change the limits of users and scopes */
  'PATCH /limits': {
    /** JSON body */
    body: {
      /** Null: the standard, 2,000 */
      executions?: number | null | undefined;
      /** Null: the standard, 100 */
      batches?: number | null | undefined;
      /** Null: the standard, 100 */
      event_streams?: number | null | undefined;
      /** Null: the standard, 500 */
      waiting_requests?: number | null | undefined;
      /** Null: the standard, 20 */
      voice_sockets?: number | null | undefined;
      /** Null: the standard, 20 */
      uploads?: number | null | undefined;
      /** Null: the standard, 6,000 */
      reads?: number | null | undefined;
      /** Null: the standard, 1,200 */
      writes?: number | null | undefined;
      /** Null: the standard, 6,000 */
      new_executions?: number | null | undefined;
      /** Null: the standard, no limit */
      storage?: number | null | undefined;
    };
    /** The answer */
    answer: PlatformLimits;
  };
  /** List open invitations to the platform */
  'GET /users/invitations': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: UserInvitation[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Invite someone to the platform */
  'POST /users/invitations': {
    /** JSON body */
    body: {
      /** Email address */
      email: string;
      /** Seconds until it expires */
      expires_in_s?: number | undefined;
    };
    /** The answer */
    answer: CreatedUserInvitation;
  };
  /** Revoke an invitation to the platform */
  'DELETE /users/invitations/{invitation_id}': {
    /** Values of the path */
    path: {
      /** The invitation's id */
      invitation_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Disable a user, or make one an operator */
  'PATCH /users/{user_id}': {
    /** Values of the path */
    path: {
      /** The user's id */
      user_id: string;
    };
    /** JSON body */
    body: {
      /** `true`: logins, tokens, and API keys stop working within a second. `false`: they work again */
      disabled?: boolean | undefined;
      /** Whether the user may operate the platform */
      operator?: boolean | undefined;
    };
    /** The answer */
    answer: ListedUser;
  };
  /** Turn a user's two-factor authentication off */
  'DELETE /users/{user_id}/totp': {
    /** Values of the path */
    path: {
      /** The user's id */
      user_id: string;
    };
    /** The answer */
    answer: Deletion;
  };
  /** Get the state of the queues */
  'GET /queues': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'queues';
      /** The entries */
      data: {
        /** Pool of workers that runs it */
        pool: 'text' | 'media' | 'vision' | 'knowledge' | 'voice';
        /** Jobs that have a turn and wait for a free place */
        waiting: number;
        /** Jobs that wait for a turn, since their user already holds a full share, or for the lane of their provider */
        delayed: number;
        /** How long the oldest job has waited. Null: none is waiting */
        oldest_waiting_s: number | null;
        /** How many are running */
        running: number;
        /** Jobs that the workers can run at once */
        places: number;
        /** Worker processes that are alive */
        workers: number;
        /** Jobs of the last 24 hours that failed and were not retried. At most 1000 are counted */
        failed: number;
        /** Jobs that ended in each minute, oldest first. The last minute is not over */
        finished_by_minute: number[];
      }[];
    };
  };
  /** List the lanes of providers */
  'GET /lanes': {
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Lane[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Resume a lane, or all lanes of a provider */
  'POST /lanes/resume': {
    /** JSON body */
    body: {
      /** One lane: `provider/model` */
      lane?: string | undefined;
      /** All lanes of a provider */
      provider?: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: Lane[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** List failed or unfinished executions of all users */
  'GET /queues/jobs': {
    /** Query parameters */
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** `failed`: failed jobs that were not retried, newest first. `unfinished`: oldest first */
      state?: 'failed' | 'unfinished' | undefined;
      /** Pool of workers that runs it */
      pool?: 'text' | 'media' | 'vision' | 'knowledge' | 'voice' | undefined;
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'list';
      /** The entries */
      data: QueueJob[];
      /** Whether there is another page */
      has_more: boolean;
      /** Pass it as `after` for the next page; null: this is the last one */
      next_cursor: string | null;
    };
  };
  /** Retry failed executions of any users */
  'POST /queues/jobs/retry': {
    /** JSON body */
    body: {
      /** Ids of the executions */
      ids: string[];
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'queue_jobs.retried';
      /** The entries */
      data: {
        /** Its id */
        id: string;
        /** Why it was not changed */
        error: {
          /** Code of the error: branch on it */
          code: string;
          /** Explanation for people */
          message: string;
        } | null;
        /** The new execution */
        retried_as: string | null;
      }[];
    };
  };
  /** Cancel executions of any users */
  'POST /queues/jobs/cancel': {
    /** JSON body */
    body: {
      /** Ids of the executions */
      ids: string[];
    };
    /** The answer */
    answer: {
      /** Names the type of this object */
      object: 'queue_jobs.cancelled';
      /** The entries */
      data: {
        /** Its id */
        id: string;
        /** Why it was not changed */
        error: {
          /** Code of the error: branch on it */
          code: string;
          /** Explanation for people */
          message: string;
        } | null;
        /** Its state */
        status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled' | null;
      }[];
    };
  };
}
