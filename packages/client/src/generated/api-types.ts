// Made from the API's OpenAPI document by `node scripts/client-types/main.ts`: change the declarations of its routes instead.

export interface Agent {
  /** `agt_…` */
  id: string;
  object: 'agent';
  name: string;
  /** Instructions that precede the conversation */
  instructions: string | null;
  /** `provider/model`; null: the configured default */
  model: string | null;
  temperature: number | null;
  /** Entries with one of these tags are used for answers */
  knowledge_tags: string[];
  /** Voice of spoken answers */
  voice: string | null;
  /** Models to fall back to, in this order, when one fails before producing output */
  fallbacks: string[];
  /** Tools that the agent runs on the server, in chat and voice turns */
  tools: ({
    type: 'knowledge_search';
    /** Only entries with one of these tags. Default: all of the scope */
    tags?: string[] | undefined;
  } | {
    type: 'web_fetch';
  } | {
    type: 'generate_image';
    /** `provider/model`. Default: the configured model */
    model?: string | undefined;
  } | {
    type: 'read_document';
  } | {
    type: 'http';
    /** `api_…`: a registered API */
    api_id: string;
    /** Ids of its operations. Default: all */
    operations?: string[] | undefined;
    /** Replaces the agent's `approval` for these tools */
    approval?: 'never' | 'writes' | 'always' | string[] | undefined;
  } | {
    type: 'mcp';
    /** `mcp_…`: a registered MCP server */
    server_id: string;
    /** Names of its tools. Default: all */
    allowed_tools?: string[] | undefined;
    /** Replaces the agent's `approval` for these tools */
    approval?: 'never' | 'writes' | 'always' | string[] | undefined;
  })[];
  /** Most steps of a turn: answers of the model that call tools. It then answers without tools */
  max_steps: number;
  /** Which calls need approval. `writes`: those of servers and APIs that are not read-only */
  approval: 'never' | 'writes' | 'always' | string[];
  /** Ends a turn that has cost this much */
  max_cost_usd: number | null;
  /** The creator */
  user_id: string;
  created_at: string;
  updated_at: string;
}

export interface ApiKey {
  /** `key_…` */
  id: string;
  object: 'api_key';
  name: string;
  /** Start of the key, to recognize it by */
  prefix: string;
  status: 'active' | 'disabled' | 'revoked';
  permissions: ('read' | 'write' | 'run' | 'manage' | 'operator')[];
  workspace_id: string | null;
  /** Requests per minute */
  rate_limit: number | null;
  expires_at: string | null;
  /** Accurate to about a minute */
  last_used_at: string | null;
  created_at: string;
}

export interface ArchiveRevision {
  object: 'archive.revision';
  unit_id: string;
  revision: number;
  title: string;
  content: string;
  tags: string[];
  metadata: Record<string, string>;
  /** The author */
  user_id: string;
  created_at: string;
}

export interface ArchiveUnit {
  /** `arc_…` */
  id: string;
  object: 'archive.unit';
  title: string;
  /** Markdown */
  content: string;
  tags: string[];
  /** `text`: written directly */
  source: {
    type: 'session' | 'message' | 'knowledge' | 'text';
    /** The original record. It may have changed or been deleted since */
    id: string | null;
    taken_at: string;
  };
  metadata: Record<string, string>;
  /** Increases with every change. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** The creator */
  user_id: string;
  created_at: string;
  updated_at: string;
}

export interface Asset {
  /** `ast_…` */
  id: string;
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  /** Detected from the content, not the name */
  mime_type: string;
  size_bytes: number;
  /** Of the content, in hexadecimal */
  sha256: string;
  filename: string | null;
  /** In pixels, for images and videos */
  width: number | null;
  height: number | null;
  /** For videos and audio */
  duration_ms: number | null;
  /** The execution that generated it; null: it was uploaded */
  execution_id: string | null;
  created_at: string;
  object: 'asset';
  /** URL of its content; signed, expires, supports Range */
  url: string;
  /** URL of a thumbnail, for images and videos; signed, expires */
  thumbnail_url: string | null;
}

export interface AuditEntry {
  /** `aud_…` */
  id: string;
  object: 'audit_entry';
  action: 'login.succeeded' | 'login.failed' | 'login.ended' | 'login.token_reused' | 'password.changed' | 'totp.enabled' | 'totp.disabled' | 'totp.reset' | 'totp.recovery_code_used' | 'totp.recovery_codes_renewed' | 'user.created' | 'user.disabled' | 'user.enabled' | 'user.operator_granted' | 'user.operator_revoked' | 'api_key.created' | 'api_key.disabled' | 'api_key.enabled' | 'api_key.revoked' | 'workspace.created' | 'workspace.renamed' | 'workspace.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'member.left' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'webhook_secret.rotated' | 'signing_key.rotated' | 'signing_key.revoked' | 'secret_key.rotated' | 'provider_key.set' | 'provider_key.removed' | 'model_settings.changed' | 'mcp_server.created' | 'mcp_server.changed' | 'mcp_server.deleted' | 'tool_api.created' | 'tool_api.changed' | 'tool_api.deleted' | 'agent.deleted' | 'prompt.deleted' | 'archive_unit.deleted' | 'asset.deleted' | 'batch.deleted' | 'tool_call.approved' | 'tool_call.denied' | 'execution.deleted' | 'knowledge.deleted' | 'session.deleted' | 'share.created' | 'share.revoked' | 'message.deleted';
  actor: {
    /** `nobody`: not logged in */
    type: 'user' | 'api_key' | 'command' | 'nobody';
    user_id: string | null;
    key_id: string | null;
    address: string | null;
  };
  target: {
    type: string;
    id: string;
  } | null;
  details: Record<string, string | number | boolean | null>;
  request_id: string | null;
  created_at: string;
}

export interface Batch {
  /** `bat_…` */
  id: string;
  object: 'batch';
  /** For items that name none */
  kind: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription' | null;
  /** `completed`: every item has ended, successfully or not */
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  counts: BatchCounts;
  progress: {
    /** Items that have ended */
    completed: number;
    total: number;
    /** Items that ended per second lately; null while that is unknown */
    per_second: number | null;
    /** Estimated seconds to the end, at this pace */
    remaining_s: number | null;
  };
  webhook_url: string | null;
  metadata: Record<string, string>;
  /** The creator */
  user_id: string;
  created_at: string;
  /** When its first item was sent to the workers */
  started_at: string | null;
  finished_at: string | null;
  urls: {
    self: string;
    events: string;
    items: string;
    results: string;
    cancel: string;
    retry: string;
  };
}

export interface BatchCounts {
  total: number;
  /** Not yet sent to the workers */
  waiting: number;
  queued: number;
  running: number;
  /** Wait for decisions about tool calls, with `POST /jobs/{id}/actions` */
  requires_action: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  /** Never run, since an item it depends on did not succeed */
  skipped: number;
}

export interface BatchFrame {
  type: 'batch.progress' | 'batch.completed' | 'batch.cancelled';
  batch: Batch;
}

export interface BatchItem {
  id: string;
  object: 'batch.item';
  /** Its index in the batch, from 0 */
  index: number;
  kind: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription';
  status: 'waiting' | 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  after: string[];
  /** Its latest execution */
  execution_id: string | null;
  /** Why it failed or was skipped */
  error: Error | null;
  finished_at: string | null;
}

export interface BatchItemRequest {
  /** Unique within the batch. Default: its index, from 0 */
  id?: string | undefined;
  kind?: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription' | undefined;
  /** The request body of its kind. If the item comes `after` others, `{"$from": "<id>", "path": "output.0.asset.id"}` can replace any value, and `{{<id>.output.0.text}}` can be part of any text */
  body?: Record<string, unknown> | undefined;
  /** Items that must succeed first */
  after?: string[] | undefined;
}

export interface BatchResult {
  /** Send it as `after` to continue after this line */
  cursor: string;
  item_id: string;
  index: number;
  kind: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription';
  status: 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  error: Error | null;
  /** Null: none was started, or it was deleted */
  execution: Execution | null;
}

export interface ChatExecution {
  /** `job_…` */
  id: string;
  object: 'chat.completion';
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `provider/model` */
  model: string | null;
  provider: string | null;
  output: OutputItem[];
  progress: Progress | null;
  /** With status `requires_action` */
  required_action: RequiredAction | null;
  usage: {
    input_tokens: number;
    output_tokens: number;
    total_tokens: number;
    cost_usd: number | null;
    /** Input tokens that came from the provider's cache */
    cached_input_tokens: number;
    /** Output tokens of the reasoning */
    reasoning_tokens: number;
    audio_input_tokens?: number | undefined;
    audio_output_tokens?: number | undefined;
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details: {
      cached_tokens: number;
      audio_tokens: number;
    };
    completion_tokens_details: {
      reasoning_tokens: number;
      audio_tokens: number;
    };
  };
  /** For a turn of a session, once it runs, and for one whose results of tools did not fit */
  context: ConversationContext | null;
  /** Parts of the request that were ignored or changed, such as a seed that the model does not support */
  warnings: string[];
  error: Error | null;
  /** 1, or more after another worker took over */
  attempt: number;
  retry_of: string | null;
  session_id: string | null;
  /** The assistant's message that this execution writes */
  message_id: string | null;
  batch_id: string | null;
  metadata: Record<string, string>;
  /** The user who started it */
  user_id: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  urls: {
    self: string;
    events: string;
    cancel: string;
  };
  /** Unix seconds */
  created: number;
  choices: {
    index: number;
    message: {
      role: 'assistant';
      content: string | null;
      refusal: string | null;
      reasoning_content?: string | undefined;
      reasoning_signature?: string | undefined;
      reasoning_blocks?: ReasoningBlock[] | undefined;
      tool_calls?: ToolCallOutput[] | undefined;
    };
    finish_reason: string | null;
    logprobs: {
      content: TokenLogprob[] | null;
      refusal: TokenLogprob[] | null;
    } | null;
  }[];
}

export type ChatMessage = {
  role: 'system' | 'developer';
  content: string | {
    type: 'text';
    text: string;
  }[];
  name?: string | undefined;
} | {
  role: 'user';
  content: string | ({
    type: 'text';
    text: string;
  } | {
    type: 'image_url';
    image_url: {
      /** A `data:` URL, an address, or the id of an asset */
      url: string;
      detail?: 'auto' | 'low' | 'high' | undefined;
    };
  } | {
    type: 'input_audio';
    input_audio: {
      /** base64, or the id of an asset */
      data: string;
      format: 'wav' | 'mp3';
    };
  } | {
    type: 'file';
    file: {
      /** A `data:` URL, or base64 of a PDF */
      file_data?: string | undefined;
      /** An uploaded file, or an asset of the scope */
      file_id?: string | undefined;
      filename?: string | undefined;
    };
  })[];
  name?: string | undefined;
} | {
  role: 'assistant';
  content?: string | ({
    type: 'text';
    text: string;
  } | {
    type: 'refusal';
    refusal: string;
  })[] | null | undefined;
  refusal?: string | null | undefined;
  reasoning_content?: string | null | undefined;
  /** Opaque data of the provider that belongs to the reasoning */
  reasoning_signature?: string | null | undefined;
  /** The reasoning, if it has several signatures. It replaces `reasoning_content`. */
  reasoning_blocks?: ReasoningBlock[] | null | undefined;
  tool_calls?: ToolCallOutput[] | null | undefined;
  name?: string | undefined;
} | {
  role: 'tool';
  content: string | {
    type: 'text';
    text: string;
  }[];
  tool_call_id: string;
};

export interface Citation {
  type: 'citation';
  /** The answer contains it as `[marker]` */
  marker: number;
  /** `kno_…` */
  entry_id: string;
  chunk_id: string;
  /** The entry's title at that time */
  title: string;
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
  role: 'system' | 'developer';
  content: string | {
    type: 'text';
    text: string;
  }[];
  name?: string | undefined;
} | {
  role: 'user';
  content: string | ({
    type: 'text';
    text: string;
  } | {
    type: 'image_url';
    image_url: {
      /** A `data:` URL, an address, or the id of an asset */
      url: string;
      detail?: 'auto' | 'low' | 'high' | undefined;
    };
  } | {
    type: 'input_audio';
    input_audio: {
      /** base64, or the id of an asset */
      data: string;
      format: 'wav' | 'mp3';
    };
  } | {
    type: 'file';
    file: {
      /** A `data:` URL, or base64 of a PDF */
      file_data?: string | undefined;
      /** An uploaded file, or an asset of the scope */
      file_id?: string | undefined;
      filename?: string | undefined;
    };
  })[];
  name?: string | undefined;
} | {
  role: 'assistant';
  content?: string | ({
    type: 'text';
    text: string;
  } | {
    type: 'refusal';
    refusal: string;
  })[] | null | undefined;
  refusal?: string | null | undefined;
  reasoning_content?: string | null | undefined;
  /** Opaque data of the provider that belongs to the reasoning */
  reasoning_signature?: string | null | undefined;
  /** The reasoning, if it has several signatures. It replaces `reasoning_content`. */
  reasoning_blocks?: ReasoningBlock[] | null | undefined;
  tool_calls?: ToolCall[] | null | undefined;
  name?: string | undefined;
} | {
  role: 'tool';
  content: string | {
    type: 'text';
    text: string;
  }[];
  tool_call_id: string;
} | {
  role: 'function';
  content?: unknown | undefined;
};

export interface CreatedApiKey {
  /** `key_…` */
  id: string;
  object: 'api_key';
  name: string;
  /** Start of the key, to recognize it by */
  prefix: string;
  status: 'active' | 'disabled' | 'revoked';
  permissions: ('read' | 'write' | 'run' | 'manage' | 'operator')[];
  workspace_id: string | null;
  /** Requests per minute */
  rate_limit: number | null;
  expires_at: string | null;
  /** Accurate to about a minute */
  last_used_at: string | null;
  created_at: string;
  /** The key, `chk_…`. Shown only once */
  secret: string;
}

export interface CreatedInvitation {
  /** `inv_…` */
  id: string;
  object: 'invitation';
  workspace_id: string;
  email: string;
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** `usr_…` */
  invited_by: string;
  /** Whether it can be accepted by creating an account. If not, only users with an account can accept. */
  new_account: boolean;
  created_at: string;
  expires_at: string;
  /** The token to accept with. Shown only once; no mail is sent, so pass it on yourself */
  token: string;
}

export interface CreatedShare {
  /** `shr_…` */
  id: string;
  object: 'share';
  session_id: string;
  /** The session's title, which the link shows */
  title: string | null;
  message_count: number;
  created_at: string;
  expires_at: string | null;
  /** Gives access to `GET /shared/{token}`. Shown only once */
  token: string;
  /** The page that shows the conversation. Contains the token */
  url: string;
}

export interface CreatedUserInvitation {
  /** `inv_…` */
  id: string;
  object: 'user_invitation';
  email: string;
  /** `usr_…` */
  invited_by: string;
  created_at: string;
  expires_at: string;
  /** For `POST /invitations/accept`. Shown only once; no mail is sent, so pass it on yourself */
  token: string;
}

export interface Deletion {
  id: string;
  object: string;
  deleted: true;
}

export interface Document {
  type: 'document';
  /** The document's own title, or its file name */
  title: string | null;
  mime_type: string;
  /** Null for documents without pages */
  page_count: number | null;
  /** Length of the text of the requested pages */
  total_chars: number;
  offset: number;
  /** Where to continue. Null: the text ends here */
  next_offset: number | null;
}

export interface Embeddings {
  type: 'embeddings';
  count: number;
  dimensions: number;
  /** The vectors one after another: 32-bit floats, little-endian, in base64. Null beyond 256 KB: then they are in the `asset` item, a NumPy file (`.npy`). */
  data: string | null;
}

export interface Error {
  /** Stable name of the error. Branch on it. */
  code: string;
  message: string;
  status: number;
  details: {
    path: string;
    message: string;
  }[];
  request_id: string | null;
  docs?: string | undefined;
}

export interface Execution {
  /** `job_…` */
  id: string;
  /** `execution`, or `chat.completion` for requests that OpenAI clients read */
  object: string;
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `provider/model` */
  model: string | null;
  provider: string | null;
  output: OutputItem[];
  progress: Progress | null;
  /** With status `requires_action` */
  required_action: RequiredAction | null;
  usage: {
    input_tokens: number;
    output_tokens: number;
    total_tokens: number;
    cost_usd: number | null;
    /** Input tokens that came from the provider's cache */
    cached_input_tokens: number;
    /** Output tokens of the reasoning */
    reasoning_tokens: number;
    audio_input_tokens?: number | undefined;
    audio_output_tokens?: number | undefined;
  };
  /** For a turn of a session, once it runs, and for one whose results of tools did not fit */
  context: ConversationContext | null;
  /** Parts of the request that were ignored or changed, such as a seed that the model does not support */
  warnings: string[];
  error: Error | null;
  /** 1, or more after another worker took over */
  attempt: number;
  retry_of: string | null;
  session_id: string | null;
  /** The assistant's message that this execution writes */
  message_id: string | null;
  batch_id: string | null;
  metadata: Record<string, string>;
  /** The user who started it */
  user_id: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  urls: {
    self: string;
    events: string;
    cancel: string;
  };
}

export type FeedFrame = {
  type: 'events.opened';
} | {
  type: 'events.lost';
} | ({
  type: 'execution.queued';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
} | {
  type: 'execution.started';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  attempt: number;
} | {
  type: 'execution.progress';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  progress: Progress;
} | {
  type: 'execution.cancelling';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
} | {
  type: 'execution.requires_action';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  /** Calls that wait for a decision; at most 20 */
  tool_calls: {
    tool_call_id: string;
    name: string;
  }[];
} | {
  type: 'execution.succeeded';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
  attempt: number;
  /** Run time; null: it never started */
  duration_ms: number | null;
  usage: Usage;
  /** Item types of the output, such as `text`; at most 20 */
  output: string[];
  /** Assets in the output; at most 20 */
  asset_ids: string[];
  error: {
    code: string;
    message: string;
  } | null;
} | {
  type: 'execution.failed';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
  attempt: number;
  /** Run time; null: it never started */
  duration_ms: number | null;
  usage: Usage;
  /** Item types of the output, such as `text`; at most 20 */
  output: string[];
  /** Assets in the output; at most 20 */
  asset_ids: string[];
  error: {
    code: string;
    message: string;
  } | null;
} | {
  type: 'execution.cancelled';
  execution_id: string;
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice' | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
  attempt: number;
  /** Run time; null: it never started */
  duration_ms: number | null;
  usage: Usage;
  /** Item types of the output, such as `text`; at most 20 */
  output: string[];
  /** Assets in the output; at most 20 */
  asset_ids: string[];
  error: {
    code: string;
    message: string;
  } | null;
} | {
  type: 'batch.created';
  batch_id: string;
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  counts: BatchCounts;
} | {
  type: 'batch.progress';
  batch_id: string;
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  counts: BatchCounts;
} | {
  type: 'batch.completed';
  batch_id: string;
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  counts: BatchCounts;
} | {
  type: 'batch.cancelled';
  batch_id: string;
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  counts: BatchCounts;
} | {
  type: 'asset.created';
  asset_id: string;
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  mime_type: string;
  size_bytes: number;
  execution_id: string | null;
} | {
  type: 'asset.deleted';
  asset_id: string;
} | {
  type: 'session.updated';
  session_id: string;
} | {
  type: 'session.deleted';
  session_id: string;
} | {
  type: 'folder.updated';
  folder_id: string;
} | {
  type: 'folder.deleted';
  folder_id: string;
}) & {
  time: string;
  user_id: string;
};

export interface Folder {
  /** `fld_…` */
  id: string;
  object: 'folder';
  name: string;
  created_at: string;
  updated_at: string;
}

export interface FunctionTool {
  type: 'function';
  function: {
    name: string;
    description?: string | null | undefined;
    /** A JSON Schema */
    parameters?: Record<string, unknown> | null | undefined;
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
  title: string | null;
  session_id: string | null;
  message_count: number;
  /** Files in its messages, which are not imported */
  missing_files: number;
  error: {
    path: string;
    message: string;
  } | null;
}

export interface Invitation {
  /** `inv_…` */
  id: string;
  object: 'invitation';
  workspace_id: string;
  email: string;
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** `usr_…` */
  invited_by: string;
  /** Whether it can be accepted by creating an account. If not, only users with an account can accept. */
  new_account: boolean;
  created_at: string;
  expires_at: string;
}

export interface Kind {
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  object: 'kind';
  /** Display name */
  label: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  pool: 'text' | 'media' | 'vision' | 'knowledge' | 'voice';
  /** Whether batches may contain it */
  batchable: boolean;
  /** Path of its route: `POST` the request */
  path: string;
  /** Fields of its request */
  fields: {
    name: string;
    type: 'text' | 'number' | 'flag' | 'list' | 'object';
    required: boolean;
  }[];
}

export interface KnowledgeChunk {
  id: string;
  object: 'knowledge.chunk';
  entry_id: string;
  revision: number;
  /** The entry's title */
  title: string;
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
  object: 'knowledge.entry';
  title: string;
  source: KnowledgeSource;
  /** Of the latest revision */
  status: 'processing' | 'ready' | 'failed';
  /** The current stage, or the one that failed */
  stage: 'fetching' | 'parsing' | 'chunking' | 'embedding' | 'indexing' | null;
  error: Error | null;
  tags: string[];
  metadata: Record<string, string>;
  /** Size of the source; null until it has been downloaded */
  size_bytes: number | null;
  /** Hash of the source, in hexadecimal */
  sha256: string | null;
  /** For documents with pages */
  page_count: number | null;
  /** Searchable chunks: those of `searchable_revision` */
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
  created_at: string;
  updated_at: string;
  /** Whether the scope already had this content. Then this is the existing entry */
  duplicate: boolean;
}

export interface KnowledgeEntry {
  /** `kno_…` */
  id: string;
  object: 'knowledge.entry';
  title: string;
  source: KnowledgeSource;
  /** Of the latest revision */
  status: 'processing' | 'ready' | 'failed';
  /** The current stage, or the one that failed */
  stage: 'fetching' | 'parsing' | 'chunking' | 'embedding' | 'indexing' | null;
  error: Error | null;
  tags: string[];
  metadata: Record<string, string>;
  /** Size of the source; null until it has been downloaded */
  size_bytes: number | null;
  /** Hash of the source, in hexadecimal */
  sha256: string | null;
  /** For documents with pages */
  page_count: number | null;
  /** Searchable chunks: those of `searchable_revision` */
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
  created_at: string;
  updated_at: string;
}

export type KnowledgeSource = {
  type: 'text';
  format: 'text' | 'markdown' | 'html';
} | {
  type: 'url';
  url: string;
  mime_type: string | null;
} | {
  type: 'file';
  /** The uploaded file */
  asset_id: string;
  filename: string | null;
  mime_type: string;
  /** The file existed before and outlives the entry */
  kept?: true | undefined;
};

export interface KnowledgeUploaded {
  object: 'list';
  /** In the order of the files */
  data: KnowledgeCreated[];
  /** Refused files. They can be sent again */
  failed: {
    filename: string | null;
    error: Error;
  }[];
}

export interface ListedUser {
  /** `usr_…` */
  id: string;
  object: 'user';
  email: string;
  /** May operate the platform: see queues, manage users and providers */
  operator: boolean;
  created_at: string;
  disabled_at: string | null;
}

export interface LoginSession {
  /** `lgn_…` */
  id: string;
  object: 'login';
  /** Whether this request uses it */
  current: boolean;
  /** IP address of its last use */
  address: string | null;
  /** Browser or program of its last use */
  user_agent: string | null;
  created_at: string;
  /** When its tokens were last refreshed */
  last_used_at: string;
  /** When it ends unless it is used */
  expires_at: string;
}

export interface McpServer {
  /** `mcp_…` */
  id: string;
  object: 'mcp_server';
  name: string;
  /** Endpoint of streamable HTTP. Private hosts need `OUTBOUND_ALLOW` */
  url: string;
  /** Names of tools that agents may use; null: all */
  allowed_tools: string[] | null;
  /** Agents get no tools of a server that is not enabled */
  enabled: boolean;
  /** Names of the stored headers */
  header_names: string[];
  /** The user who registered it */
  user_id: string;
  created_at: string;
  updated_at: string;
}

export interface McpServerTools {
  object: 'list';
  data: {
    name: string;
    /** As the server describes it. It is not trusted */
    description: string;
    /** JSON schema of the arguments */
    parameters: Record<string, unknown>;
    /** `read`: changes nothing. `idempotent`: the same call twice is like one. `write`: anything */
    effect: 'read' | 'idempotent' | 'write';
    /** Whether `allowed_tools` allows it */
    allowed: boolean;
  }[];
}

export interface Member {
  /** The user's id, `usr_…` */
  id: string;
  object: 'member';
  workspace_id: string;
  email: string;
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** Member since */
  created_at: string;
}

export interface Message {
  /** `msg_…` */
  id: string;
  object: 'message';
  session_id: string;
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
    count: number;
    previous_id: string | null;
    next_id: string | null;
  } | null;
  /** An assistant's message has its execution's status; a user's is `succeeded` */
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  execution_id: string | null;
  /** The execution that regenerated an earlier answer, or the version (`msg_…`) that was restored in its place: this message is no longer part of the conversation */
  superseded_by: string | null;
  /** Sources of the answer */
  citations: Citation[];
  /** Reasoning of the answer, as far as the provider shows it */
  reasoning_content: string | null;
  /** Calls that the answer requests. `tool_outputs` continues the turn. */
  tool_calls: ToolCallOutput[];
  /** Steps of an agent before its answer. `content` has their text, too. */
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
  usage: Usage | null;
  /** The user's rating of the answer */
  rating: 'up' | 'down' | null;
  created_at: string;
  updated_at: string;
}

export interface MessageRevision {
  object: 'message.revision';
  message_id: string;
  revision: number;
  /** `restored`: an answer to this text was restored; `restarted`: the turn ran again and the answer started over; `interrupted`: the spoken answer was cut to what was played */
  action: 'created' | 'edited' | 'undone' | 'restored' | 'restarted' | 'interrupted';
  content: string;
  /** Citations in its content */
  citations: Citation[];
  /** With `undone` and `restored`: the revision whose text is back */
  restores: number | null;
  /** The editor; null: the model */
  user_id: string | null;
  /** The execution that wrote it, if the model did */
  execution_id: string | null;
  created_at: string;
}

export interface MessageStep {
  content: string;
  tool_calls: {
    id: string;
    name: string;
    /** JSON, as the model wrote it. It may be invalid. */
    arguments: string;
    /** `requested`: you run it. Others run on the server. `unknown`: it was interrupted and may have had an effect */
    status: 'requested' | 'awaiting_approval' | 'running' | 'succeeded' | 'failed' | 'denied' | 'unknown';
    /** What the model got */
    result: string | null;
    started_at?: string | null | undefined;
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
  stages: {
    /** Milliseconds from the start of the turn until the question was transcribed; null: that did not happen */
    transcribed_ms: number | null;
    /** Milliseconds from the start of the turn until the first word of the answer; null: that did not happen */
    first_text_ms: number | null;
    /** Milliseconds from the start of the turn until the first audio; null: that did not happen */
    first_audio_ms: number | null;
    /** Milliseconds from the start of the turn until the last word; null: that did not happen */
    text_ms: number | null;
    /** Milliseconds from the start of the turn until the last audio was generated; null: that did not happen */
    audio_ms: number | null;
  };
}

export interface Model {
  /** `provider/model` */
  id: string;
  object: 'model';
  created: number;
  /** The provider */
  owned_by: string;
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
      min: number;
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
  /** Why it cannot run here, and what to install. Requests for it fail with `feature_unavailable`. */
  unavailable?: string | undefined;
}

export interface ModelSettings {
  object: 'model_settings';
  defaults: {
    chat: {
      model: string | null;
      /** `environment`: a variable, which wins; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    image: {
      model: string | null;
      /** `environment`: a variable, which wins; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    video: {
      model: string | null;
      /** `environment`: a variable, which wins; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    speech: {
      model: string | null;
      /** `environment`: a variable, which wins; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
    transcription: {
      model: string | null;
      /** `environment`: a variable, which wins; `automatic`: the first model that can do it */
      source: 'environment' | 'stored' | 'automatic';
    };
  };
  fallbacks: {
    chains: string[][];
    /** `environment`: a variable, which wins; `automatic`: the first model that can do it */
    source: 'environment' | 'stored' | 'automatic';
  };
}

export interface OcrResult {
  type: 'ocr';
  /** Text of all pages, as far as it fits */
  markdown: string;
  /** In order, as many as fit */
  pages: {
    /** From 1 */
    number: number;
    /** Of the upright page: pixels for images, points (1/72 inch) for PDF pages */
    width: number;
    height: number;
    /** Degrees clockwise by which the displayed page was rotated about its center to be upright. Sizes and boxes are those after it. Other values than multiples of 90 straighten a skewed page, and keep its size */
    rotation: number;
    /** Whether the text was embedded in the file, or read from its image */
    source: 'text_layer' | 'image';
    text: string;
    markdown: string;
    /** 0 to 1; null if the text was not recognized by OCR, or the engine reports none */
    confidence: number | null;
    /** Script that the page seems to be written in, if none of the `languages` is: for example `Han` */
    script?: string | undefined;
    /** In reading order. Null: too many to include here (the asset has them), or a vision model read the page, which reports no positions */
    lines: {
      text: string;
      box: {
        x: number;
        y: number;
        width: number;
        height: number;
      };
      /** 0 to 1; null if the text was not recognized by OCR, or the engine reports none */
      confidence: number | null;
      words: {
        text: string;
        box: {
          x: number;
          y: number;
          width: number;
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
  languages: string[];
  /** Whether parts of the result were left out because of their size; the asset has all of it */
  truncated: boolean;
  /** If parts were left out: a JSON file with `page_count`, `pages_left`, `languages` and all `pages` */
  asset: {
    /** `ast_…` */
    id: string;
    kind: 'image' | 'video' | 'audio' | 'document' | 'other';
    /** Detected from the content, not the name */
    mime_type: string;
    size_bytes: number;
    /** Of the content, in hexadecimal */
    sha256: string;
    filename: string | null;
    /** In pixels, for images and videos */
    width: number | null;
    height: number | null;
    /** For videos and audio */
    duration_ms: number | null;
    /** The execution that generated it; null: it was uploaded */
    execution_id: string | null;
    created_at: string;
  } | null;
}

export type OutputItem = {
  type: 'text';
  text: string;
  logprobs?: TokenLogprob[] | undefined;
} | {
  type: 'asset';
  asset: Asset;
} | {
  type: 'reasoning';
  text: string;
  /** Opaque data of the provider. Send it back with the item. */
  signature?: string | undefined;
} | {
  type: 'refusal';
  refusal: string;
} | ToolCallItem | {
  type: 'mcp_list_tools';
  server_label: string;
  tools: {
    name: string;
    /** As the server describes it. It is not trusted */
    description: string;
    /** A JSON Schema, as JSON */
    input_schema: string;
    read_only: boolean;
  }[];
  /** Why the tools are not available */
  error: string | null;
} | OcrResult | Verification | Citation | Transcript | Passage | {
  type: 'entry';
  entry_id: string;
  /** Whether the scope already had this content. Then this is the existing entry */
  duplicate: boolean;
} | Document | Embeddings;

export interface OwnedAsset {
  /** `ast_…` */
  id: string;
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  /** Detected from the content, not the name */
  mime_type: string;
  size_bytes: number;
  /** Of the content, in hexadecimal */
  sha256: string;
  filename: string | null;
  /** In pixels, for images and videos */
  width: number | null;
  height: number | null;
  /** For videos and audio */
  duration_ms: number | null;
  /** The execution that generated it; null: it was uploaded */
  execution_id: string | null;
  created_at: string;
  object: 'asset';
  /** URL of its content; signed, expires, supports Range */
  url: string;
  /** URL of a thumbnail, for images and videos; signed, expires */
  thumbnail_url: string | null;
  /** The uploader, or the user whose execution generated it */
  user_id: string;
}

export interface Passage {
  type: 'passage';
  passage: KnowledgeChunk;
}

export interface PlatformLimits {
  object: 'limits';
  data: {
    name: string;
    /** Null: no limit */
    value: number | null;
    unit: 'at_once' | 'per_minute' | 'bytes';
    /** `credential`: an API key, or the logins of a user together */
    per: 'user' | 'credential' | 'scope';
    /** The environment variable that sets it */
    variable: string;
  }[];
}

export interface Progress {
  completed: number;
  total: number;
  stage: string;
}

export interface Prompt {
  /** `prm_…` */
  id: string;
  object: 'prompt';
  name: string;
  /** The text. `{{name}}` is a variable, filled in when the prompt is used */
  content: string;
  /** The creator */
  user_id: string;
  created_at: string;
  updated_at: string;
}

export interface Provider {
  name: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
  object: 'provider';
  /** Where its key comes from. `environment`: variables of the processes, which win over a stored key */
  source: 'environment' | 'stored' | 'none';
  /** The last four characters of the stored key */
  key_hint: string | null;
  /** Of `compatible`: the stored address */
  base_url: string | null;
  /** The outcome of the latest calls of the workers. `off`: no worker uses it */
  status: 'ok' | 'failing' | 'unknown' | 'off';
  /** Models that the workers list */
  model_count: number;
  /** When the stored key was set */
  updated_at: string | null;
}

export interface ProviderTest {
  object: 'provider.test';
  provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
  ok: boolean;
  /** Models that the provider lists for this key, if it lists any */
  model_count: number | null;
  /** Why it failed */
  message: string | null;
}

export interface QueuesTicket {
  object: 'queues.ticket';
  /** Works once, in a browser */
  ticket: string;
  expires_at: string;
  /** The URL to open in a browser; contains the ticket */
  url: string;
}

export interface ReasoningBlock {
  text: string;
  signature?: string | undefined;
}

export interface RequiredAction {
  type: 'approve_tool_calls';
  /** Calls without a decision. It continues once all have one. */
  tool_calls: {
    tool_call_id: string;
    name: string;
    /** JSON, as the model wrote it */
    arguments: string;
  }[];
  /** The execution fails if calls are undecided then */
  expires_at: string;
}

export type ResponseFormat = {
  type: 'text';
} | {
  type: 'json_object';
} | {
  type: 'json_schema';
  json_schema: {
    name: string;
    description?: string | null | undefined;
    schema?: Record<string, unknown> | null | undefined;
    strict?: boolean | null | undefined;
  };
};

export interface Session {
  /** `ses_…` */
  id: string;
  object: 'session';
  title: string | null;
  pinned: boolean;
  starred: boolean;
  /** Left out of lists, unless they ask for it. A pin or a new turn ends it. */
  archived: boolean;
  folder_id: string | null;
  agent_id: string | null;
  message_count: number;
  /** The running turn */
  active_execution_id: string | null;
  metadata: Record<string, string>;
  created_at: string;
  /** When its last turn began */
  updated_at: string;
}

export interface SessionExport {
  object: 'session.export';
  /** `ses_…` */
  id: string;
  title: string | null;
  pinned: boolean;
  starred: boolean;
  archived: boolean;
  created_at: string;
  updated_at: string;
  messages: {
    role: 'user' | 'assistant' | 'tool';
    content: string;
    reasoning_content: string | null;
    citations: Citation[];
    /** Ids of images (`ast_…`) and documents (`kno_…`) */
    attachments: string[];
    created_at: string;
  }[];
}

export interface Share {
  /** `shr_…` */
  id: string;
  object: 'share';
  session_id: string;
  /** The session's title, which the link shows */
  title: string | null;
  message_count: number;
  created_at: string;
  expires_at: string | null;
}

export interface SharedMessage {
  object: 'shared_message';
  /** Its place in the conversation, from 1 */
  number: number;
  role: 'user' | 'assistant';
  content: string;
  citations: {
    /** The answer contains it as `[marker]` */
    marker: number;
    /** The entry's title at that time */
    title: string;
    heading_path: string[];
    /** From 1; null for documents without pages */
    page: number | null;
    /** Verbatim text of the chunk */
    quote: string;
  }[];
  /** Ids for `GET /shared/{token}/images/{asset_id}` */
  images: string[];
  created_at: string;
}

export interface SharedSession {
  object: 'shared_session';
  title: string | null;
  shared_at: string;
  expires_at: string | null;
}

export interface SpeechVoice {
  /** `provider/model` */
  model: string;
  /** The value for `voice` in a request */
  id: string;
  name: string;
  /** BCP 47; null: any language of the model */
  language: string | null;
  /** OpenAI's voices that this one is used for */
  stands_for?: string[] | undefined;
}

export type StreamFrame = {
  type: 'execution.queued';
  seq: number;
  execution_id: string;
} | {
  type: 'execution.started';
  seq: number;
  execution_id: string;
  attempt: number;
} | {
  type: 'text.delta';
  seq: number;
  execution_id: string;
  index: number;
  delta: string;
  logprobs?: TokenLogprob[] | undefined;
} | {
  type: 'reasoning.delta';
  seq: number;
  execution_id: string;
  index: number;
  delta: string;
} | {
  type: 'refusal.delta';
  seq: number;
  execution_id: string;
  index: number;
  delta: string;
} | {
  type: 'tool_call.delta';
  seq: number;
  execution_id: string;
  index: number;
  /** Counts the answer's calls from 0 */
  call: number;
  id: string;
  name: string;
  /** Marks the first part of a call */
  first?: true | undefined;
  arguments_delta: string;
} | {
  type: 'audio.delta';
  seq: number;
  execution_id: string;
  index: number;
  offset: number;
  delta: string;
} | {
  type: 'text.reset';
  seq: number;
  execution_id: string;
  reason: string;
} | {
  type: 'progress';
  seq: number;
  execution_id: string;
  progress: Progress;
} | {
  type: 'tool_call.started';
  seq: number;
  execution_id: string;
  index: number;
  id: string;
  name: string;
} | {
  type: 'tool_call.finished';
  seq: number;
  execution_id: string;
  index: number;
  id: string;
  /** `requested`: you run it. Others run on the server. `unknown`: it was interrupted and may have had an effect */
  status: 'requested' | 'awaiting_approval' | 'running' | 'succeeded' | 'failed' | 'denied' | 'unknown';
  result: string | null;
} | {
  type: 'execution.requires_action';
  seq: number;
  execution_id: string;
  required_action: RequiredAction;
} | {
  type: 'output.item';
  seq: number;
  execution_id: string;
  index: number;
  item: OutputItem;
} | {
  type: 'execution.succeeded';
  seq: number;
  execution_id: string;
  /** The whole execution; for chat turns a `ChatExecution` */
  execution: Execution;
} | {
  type: 'execution.failed';
  seq: number;
  execution_id: string;
  /** The whole execution; for chat turns a `ChatExecution` */
  execution: Execution;
} | {
  type: 'execution.cancelled';
  seq: number;
  execution_id: string;
  /** The whole execution; for chat turns a `ChatExecution` */
  execution: Execution;
};

export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds */
  expires_in: number;
  /** Absent when stored in the cookie */
  refresh_token?: string | undefined;
  user: User;
}

export interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[] | null;
  top_logprobs: {
    token: string;
    logprob: number;
    bytes: number[] | null;
  }[];
}

export interface ToolApi {
  /** `api_…` */
  id: string;
  object: 'tool_api';
  name: string;
  /** Agents get no tools of an API that is not enabled */
  enabled: boolean;
  document_url: string | null;
  /** Paths of the document follow it */
  base_url: string;
  auth: {
    type: 'none' | 'bearer' | 'header' | 'query' | 'basic';
    /** Name of the header or query parameter */
    name: string | null;
  };
  operations: {
    /** Name of the tool: the `operationId`, or method and path */
    name: string;
    method: string;
    path: string;
    description: string;
    /** `read`: changes nothing. `idempotent`: the same call twice is like one. `write`: anything */
    effect: 'read' | 'idempotent' | 'write';
  }[];
  /** Parts of the document that cannot be used */
  warnings: string[];
  /** The user who registered it */
  user_id: string;
  created_at: string;
  updated_at: string;
}

export interface ToolCall {
  id: string;
  type?: 'function' | undefined;
  function: {
    name: string;
    /** JSON, as the model wrote it. It may be invalid. */
    arguments: string;
  };
  /** Opaque data of the provider. Send it back with the call. */
  signature?: string | undefined;
}

export interface ToolCallItem {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON, as the model wrote it. It may be invalid. */
  arguments: string;
  /** `requested`: you run it. Others run on the server. `unknown`: it was interrupted and may have had an effect */
  status: 'requested' | 'awaiting_approval' | 'running' | 'succeeded' | 'failed' | 'denied' | 'unknown';
  /** What the model got */
  result: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** Opaque data of the provider. Send it back with the item. */
  signature?: string | undefined;
  /** For calls that run on the server: the step of the turn, from 0 */
  step?: number | undefined;
  /** Entries that the result quotes */
  sources?: string[] | undefined;
  /** For calls of the `mcp` tools of a response */
  mcp?: {
    server_label: string;
    /** As the server names the tool */
    name: string;
    /** The request that the caller has approved */
    approval_request_id?: string | undefined;
  } | undefined;
}

export interface ToolCallOutput {
  id: string;
  type: 'function';
  function: {
    name: string;
    /** JSON, as the model wrote it. It may be invalid. */
    arguments: string;
  };
  /** Opaque data of the provider. Send it back with the call. */
  signature?: string | undefined;
}

export type ToolChoice = 'none' | 'auto' | 'required' | {
  type: 'function';
  function: {
    name: string;
  };
} | {
  type: 'allowed_tools';
  allowed_tools: {
    mode: 'auto' | 'required';
    tools: {
      type: 'function';
      function: {
        name: string;
      };
    }[];
  };
};

export interface Transcript {
  type: 'transcript';
  text: string;
  /** `provider/model` that transcribed it */
  model: string;
  /** ISO 639, such as `en`; null: the model does not report it */
  language: string | null;
  /** Length of the audio */
  duration_ms: number;
  /** Phrases with their times; empty if the model reports none */
  segments?: {
    text: string;
    start_ms: number;
    end_ms: number;
  }[] | undefined;
  /** Words with their times, if requested */
  words?: {
    text: string;
    start_ms: number;
    end_ms: number;
  }[] | undefined;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cost_usd: number | null;
  /** Input tokens that came from the provider's cache */
  cached_input_tokens?: number | undefined;
  /** Output tokens of the reasoning */
  reasoning_tokens?: number | undefined;
  audio_input_tokens?: number | undefined;
  audio_output_tokens?: number | undefined;
}

export interface UsageReport {
  object: 'usage';
  from: string;
  to: string;
  data: UsageRow[];
  total: {
    executions: number;
    input_tokens: number;
    output_tokens: number;
    total_tokens: number;
    /** Of the executions with a known price */
    cost_usd: number;
    /** Number of executions with an unknown price */
    unpriced_executions: number;
  };
  /** Storage used now, regardless of the days. */
  storage: {
    /** Of files, generated media, recordings, and texts of knowledge entries */
    used_bytes: number;
    /** `STORAGE_QUOTA_BYTES`; null: none */
    limit_bytes: number | null;
  };
}

export interface UsageRow {
  day: string;
  model: string | null;
  api_key_id: string | null;
  executions: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  /** Of the executions with a known price */
  cost_usd: number;
  /** Number of executions with an unknown price */
  unpriced_executions: number;
}

export interface User {
  /** `usr_…` */
  id: string;
  object: 'user';
  email: string;
  /** May operate the platform: see queues, manage users and providers */
  operator: boolean;
  created_at: string;
}

export interface UserInvitation {
  /** `inv_…` */
  id: string;
  object: 'user_invitation';
  email: string;
  /** `usr_…` */
  invited_by: string;
  created_at: string;
  expires_at: string;
}

export interface UserUsageReport {
  object: 'user_usage';
  from: string;
  to: string;
  /** Oldest day first. Executions that retention has deleted are missing */
  data: {
    day: string;
    user_id: string;
    executions: number;
    total_tokens: number;
    /** Of the executions with a known price */
    cost_usd: number;
    /** Number of executions with an unknown price */
    unpriced_executions: number;
  }[];
}

export interface Verification {
  type: 'verification';
  verdict: 'made_here' | 'made_here_altered' | 'made_elsewhere' | 'not_found';
  claim: 'supported' | 'contradicted' | 'uncertain' | 'not_checked';
  summary: string;
  checks: {
    check: 'provenance' | 'ledger' | 'similarity' | 'expected_text' | 'prompt';
    /** `absent`: there was nothing to check; `skipped`: not requested, or not possible */
    result: 'match' | 'mismatch' | 'absent' | 'uncertain' | 'skipped';
    reason: string;
    details: Record<string, unknown>;
  }[];
}

export interface VoiceMeta {
  object: 'voice.meta';
  speech: {
    models: string[];
    default_model: string | null;
    /** Providers may have others */
    voices: SpeechVoice[];
  };
  transcription: {
    models: string[];
    default_model: string | null;
  };
  /** Languages of the voices, in BCP 47; models may speak others */
  languages: string[];
  /** Formats of spoken answers */
  formats: {
    format: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';
    mime_type: string;
  }[];
  /** Media types of the user's audio */
  accepts: string[];
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
  session: {
    id: string;
    state: 'idle' | 'listening' | 'thinking' | 'speaking';
    active_execution_id: string | null;
    /** Oldest first */
    turns: VoiceTurn[];
    has_more: boolean;
    next_cursor: string | null;
  } | null;
  turn: VoiceTurn | null;
}

export interface VoiceTicket {
  object: 'voice.ticket';
  /** For `?ticket=` of the voice socket. Works once, with the rights and scope of its creator */
  ticket: string;
  expires_at: string;
  /** The socket's URL, without the ticket */
  url: string;
}

export interface VoiceTurn {
  /** The execution that answered */
  execution_id: string | null;
  session_id: string | null;
  user_message_id: string | null;
  /** The assistant message */
  message_id: string | null;
  status: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** What the user said or wrote */
  transcript: string | null;
  /** The answer; if it was interrupted, the part that was played */
  text: string;
  /** How it was spoken; null: not yet known */
  voice: MessageVoice | null;
  created_at: string;
}

export interface WebhookDelivery {
  /** `whd_…`, also in the header `webhook-id` of each attempt */
  id: string;
  object: 'webhook_delivery';
  event: 'execution.succeeded' | 'execution.failed' | 'execution.cancelled' | 'execution.requires_action' | 'batch.completed';
  execution_id: string | null;
  batch_id: string | null;
  /** For webhooks of other members, only admins see more than the host */
  url: string;
  status: 'pending' | 'delivered' | 'failed';
  attempt_count: number;
  /** The last 20, oldest first */
  attempts: {
    started_at: string;
    duration_ms: number;
    /** The response's HTTP status; null: no response */
    status: number | null;
    /** Why it does not count as delivered */
    error: string | null;
  }[];
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
}

export interface WebhookSecret {
  object: 'webhook_secret';
  /** `whsec_…`: for verifying signatures */
  secret: string;
  created_at: string;
  /** Until then the previous secret also signs; null: there is none */
  previous_valid_until: string | null;
}

export interface Workspace {
  id: string;
  object: 'workspace';
  name: string;
  /** Your role */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  created_at: string;
}

/** What each route takes and answers, by its method and its path under `/api/v1`. */
export interface Operations {
  /** Run a chat turn */
  'POST /chat/completions': {
    body: {
      /** A message to a session. Without `session_id`, it creates a new session. */
      message?: string | undefined;
      /** OpenAI's form: a conversation without a session. */
      messages?: ConversationMessage[] | undefined;
      /** Results of all tool calls that the last answer of `session_id` requested. The turn continues. */
      tool_outputs?: {
        tool_call_id: string;
        output: string;
      }[] | undefined;
      /** `ses_…`: the session to continue */
      session_id?: string | undefined;
      /** For `message`: images by asset id, for models that accept images, and documents by the id of an entry added with `for_conversation`. This and later answers of the session read the documents and cite them. A turn waits up to a minute for those that are still being read; `warnings` names those that it could not use. */
      attachments?: string[] | undefined;
      /** A message of a session to answer again (or, if it is an answer, to replace). Later messages are superseded. */
      regenerate_from?: string | undefined;
      /** `provider/model`. Default: the configured model. */
      model?: string | undefined;
      stream?: boolean | null | undefined;
      temperature?: number | null | undefined;
      top_p?: number | null | undefined;
      max_tokens?: number | null | undefined;
      max_completion_tokens?: number | null | undefined;
      stop?: string | string[] | null | undefined;
      seed?: number | null | undefined;
      presence_penalty?: number | null | undefined;
      frequency_penalty?: number | null | undefined;
      /** Functions that the model may call and the caller runs. */
      tools?: FunctionTool[] | null | undefined;
      tool_choice?: ToolChoice | null | undefined;
      parallel_tool_calls?: boolean | null | undefined;
      response_format?: ResponseFormat | null | undefined;
      reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | null | undefined;
      verbosity?: 'low' | 'medium' | 'high' | null | undefined;
      logprobs?: boolean | null | undefined;
      top_logprobs?: number | null | undefined;
      logit_bias?: Record<string, number> | null | undefined;
      service_tier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | null | undefined;
      /** The caller's identifier of its end user. */
      user?: string | null | undefined;
      /** Options of single providers, such as `{"anthropic": {"thinking": …}}`. Other providers ignore them. */
      provider_options?: Record<string, Record<string, unknown>> | null | undefined;
      n?: number | null | undefined;
      /** Has no effect: the last frame always contains the usage. */
      stream_options?: {
        include_usage?: boolean | undefined;
        [field: string]: unknown;
      } | null | undefined;
      /** Documents that the answer may use and cite. An empty object: all of the scope. Absent: those with the `knowledge_tags` of the agent, if it has any. */
      knowledge?: {
        top_k?: number | undefined;
        /** Only entries with one of these tags */
        tags?: string[] | undefined;
        /** Only these entries */
        entry_ids?: string[] | undefined;
      } | null | undefined;
      metadata?: Record<string, string> | null | undefined;
      webhook_url?: string | null | undefined;
      [field: string]: unknown;
    };
    answer: ChatExecution;
  };
  /** Write a title for a session */
  'POST /sessions/title': {
    body: {
      /** `ses_…` */
      session_id: string;
      /** `provider/model`. Default: the server's model for titles, or its default. */
      model?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Embed texts */
  'POST /embeddings': {
    body: {
      /** A text, or up to 2,048 texts */
      input: string | string[];
      /** `provider/model`. Default: the model of the documents */
      model?: string | undefined;
      /** Length of the vectors, for models that support it. Default: the model's */
      dimensions?: number | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Generate images */
  'POST /iris/generate': {
    body: {
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
      /** An image of the same size as the first reference, transparent where that may change */
      mask_asset_id?: string | undefined;
      quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'standard' | 'hd' | undefined;
      background?: 'transparent' | 'opaque' | undefined;
      /** Default: the model's */
      output_format?: 'png' | 'jpeg' | 'webp' | undefined;
      /** In percent, for `jpeg` and `webp` */
      output_compression?: number | undefined;
      /** How closely to keep the reference images */
      input_fidelity?: 'low' | 'high' | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Read text from an image or document */
  'POST /iris/ocr': {
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
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
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
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Enlarge an image */
  'POST /iris/upscale': {
    body: {
      /** An image */
      asset_id: string;
      /** How many times as wide and as high */
      factor?: number | undefined;
      /** `provider/model`. Default: the first model that supports it */
      model?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Verify where a file was generated, and what it shows */
  'POST /iris/verify': {
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
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
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
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Generate a video */
  'POST /iris/video': {
    body: {
      prompt: string;
      duration_s?: number | undefined;
      fps?: number | undefined;
      /** For example `1280x720`. Default: the model's */
      size?: string | undefined;
      seed?: number | undefined;
      /** `provider/model`. Default: the first model that supports it */
      model?: string | undefined;
      /** The image to start from */
      image_asset_id?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Ask your documents */
  'POST /console/knowledge/ask': {
    body: {
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
      temperature?: number | undefined;
      max_tokens?: number | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Read a document */
  'POST /console/knowledge/read': {
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
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Search your documents */
  'POST /console/knowledge/search': {
    body: {
      query: string;
      /** Maximum number of passages */
      top_k?: number | undefined;
      /** Only entries with one of these tags */
      tags?: string[] | undefined;
      /** Only these entries */
      entry_ids?: string[] | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Run a response of OpenAI's Responses API */
  'POST /responses': {
    body: {
      /** `provider/model`. Default: the configured model */
      model?: string | null | undefined;
      /** A message of the user, or items */
      input?: string | ({
        type?: 'message' | undefined;
        id?: string | null | undefined;
        status?: string | null | undefined;
        role: 'system' | 'developer';
        content: string | {
          type: 'input_text';
          text: string;
        }[];
      } | {
        type?: 'message' | undefined;
        id?: string | null | undefined;
        status?: string | null | undefined;
        role: 'user';
        content: string | ({
          type: 'input_text';
          text: string;
        } | {
          type: 'input_image';
          /** `https://…` or a `data:` URL */
          image_url?: string | null | undefined;
          /** An uploaded image, or an asset of the scope */
          file_id?: string | null | undefined;
          detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
        } | {
          type: 'input_file';
          /** A `data:` URL, or base64 of a PDF */
          file_data?: string | null | undefined;
          /** An uploaded file, or an asset of the scope */
          file_id?: string | null | undefined;
          file_url?: null | undefined;
          filename?: string | null | undefined;
        } | {
          type: 'input_audio';
          input_audio: {
            /** base64 */
            data: string;
            format: 'wav' | 'mp3';
          };
        })[];
      } | {
        type?: 'message' | undefined;
        id?: string | null | undefined;
        status?: string | null | undefined;
        role: 'assistant';
        content: string | ({
          type: 'output_text';
          text: string;
        } | {
          type: 'refusal';
          refusal: string;
        })[];
        /** Kept with the item, without effect */
        phase?: 'commentary' | 'final_answer' | null | undefined;
      } | {
        type: 'function_call';
        id?: string | null | undefined;
        status?: string | null | undefined;
        call_id: string;
        name: string;
        /** JSON, as the model wrote it. It may be invalid. */
        arguments: string;
      } | {
        type: 'function_call_output';
        id?: string | null | undefined;
        status?: string | null | undefined;
        call_id: string;
        output: string | ({
          type: 'input_text';
          text: string;
        } | {
          type: 'input_image';
          /** `https://…` or a `data:` URL */
          image_url?: string | null | undefined;
          /** An uploaded image, or an asset of the scope */
          file_id?: string | null | undefined;
          detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
        } | {
          type: 'input_file';
          /** A `data:` URL, or base64 of a PDF */
          file_data?: string | null | undefined;
          /** An uploaded file, or an asset of the scope */
          file_id?: string | null | undefined;
          file_url?: null | undefined;
          filename?: string | null | undefined;
        })[];
      } | {
        type: 'reasoning';
        id?: string | null | undefined;
        status?: string | null | undefined;
        summary: {
          type: 'summary_text';
          text: string;
        }[];
        content?: {
          type: 'reasoning_text';
          text: string;
        }[] | null | undefined;
        /** Opaque data of the provider */
        encrypted_content?: string | null | undefined;
      } | {
        type: 'mcp_list_tools';
        id?: string | null | undefined;
        server_label: string;
        tools: {
          name: string;
          [field: string]: unknown;
        }[];
        error?: string | null | undefined;
      } | {
        type: 'mcp_call';
        id: string;
        status?: string | null | undefined;
        server_label: string;
        name: string;
        arguments: string;
        output?: string | null | undefined;
        error?: string | {
          type: string;
          [field: string]: unknown;
        } | null | undefined;
        approval_request_id?: string | null | undefined;
      } | {
        type: 'mcp_approval_request';
        id: string;
        server_label: string;
        name: string;
        arguments: string;
      } | {
        type: 'mcp_approval_response';
        id?: string | null | undefined;
        approval_request_id: string;
        approve: boolean;
        /** For the model, if the call is denied */
        reason?: string | null | undefined;
      } | {
        type: 'item_reference' | null;
        /** An item of an earlier response */
        id: string;
      })[] | null | undefined;
      /** Continues the conversation of this response */
      previous_response_id?: string | null | undefined;
      /** Apply to this response only */
      instructions?: string | null | undefined;
      /** Functions that the caller runs, and registered MCP servers */
      tools?: ({
        type: 'function';
        name: string;
        description?: string | null | undefined;
        /** A JSON Schema */
        parameters?: Record<string, unknown> | null | undefined;
        strict?: boolean | null | undefined;
      } | {
        type: 'mcp';
        server_label: string;
        /** The URL or the id (`mcp_…`) of an MCP server that is registered in the scope */
        server_url: string;
        allowed_tools?: string[] | {
          tool_names?: string[] | null | undefined;
          /** `true`: only tools with `readOnlyHint`. `false`: only others */
          read_only?: boolean | null | undefined;
        } | null | undefined;
        /** Default: `always`. With filters, tools need approval unless `never` matches them and `always` does not */
        require_approval?: 'always' | 'never' | {
          always?: {
            tool_names?: string[] | null | undefined;
            /** `true`: only tools with `readOnlyHint`. `false`: only others */
            read_only?: boolean | null | undefined;
          } | null | undefined;
          never?: {
            tool_names?: string[] | null | undefined;
            /** `true`: only tools with `readOnlyHint`. `false`: only others */
            read_only?: boolean | null | undefined;
          } | null | undefined;
        } | null | undefined;
        /** Has no effect */
        server_description?: string | null | undefined;
        headers?: null | undefined;
        authorization?: null | undefined;
        connector_id?: null | undefined;
        tunnel_id?: null | undefined;
      })[] | null | undefined;
      tool_choice?: 'none' | 'auto' | 'required' | {
        type: 'function';
        name: string;
      } | {
        type: 'mcp';
        server_label: string;
        /** One of its tools. Default: any */
        name?: string | null | undefined;
      } | {
        type: 'allowed_tools';
        mode?: 'none' | 'auto' | 'required' | undefined;
        tools: ({
          type: 'function';
          name: string;
        } | {
          type: 'mcp';
          server_label: string;
          /** One of its tools. Default: any */
          name?: string | null | undefined;
        })[];
      } | null | undefined;
      parallel_tool_calls?: boolean | null | undefined;
      /** Further calls are left out */
      max_tool_calls?: number | null | undefined;
      text?: {
        format?: {
          type: 'text';
        } | {
          type: 'json_object';
        } | {
          type: 'json_schema';
          name: string;
          description?: string | null | undefined;
          schema: Record<string, unknown>;
          strict?: boolean | null | undefined;
        } | null | undefined;
        verbosity?: 'low' | 'medium' | 'high' | null | undefined;
      } | null | undefined;
      reasoning?: {
        effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | null | undefined;
        /** Has no effect: reasoning is shown as far as the provider shows it */
        summary?: 'auto' | 'concise' | 'detailed' | null | undefined;
      } | null | undefined;
      temperature?: number | null | undefined;
      top_p?: number | null | undefined;
      presence_penalty?: number | null | undefined;
      frequency_penalty?: number | null | undefined;
      max_output_tokens?: number | null | undefined;
      top_logprobs?: number | null | undefined;
      /** `auto`: leaves out the oldest items of a conversation that is too long. `disabled`: it fails. */
      truncation?: 'auto' | 'disabled' | null | undefined;
      include?: ('reasoning.encrypted_content' | 'message.output_text.logprobs' | 'message.input_image.image_url' | 'file_search_call.results' | 'web_search_call.action.sources' | 'web_search_call.results' | 'computer_call_output.output.image_url' | 'code_interpreter_call.outputs')[] | null | undefined;
      /** Answers at once. Follow the response with `GET /responses/{id}`. */
      background?: boolean | null | undefined;
      /** `false`: deletes the response once it is delivered */
      store?: boolean | null | undefined;
      stream?: boolean | null | undefined;
      service_tier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | null | undefined;
      safety_identifier?: string | null | undefined;
      /** Names prompts that begin alike, for models of OpenAI */
      prompt_cache_key?: string | null | undefined;
      user?: string | null | undefined;
      /** Has no effect: events are not padded */
      stream_options?: {
        include_obfuscation?: boolean | undefined;
        [field: string]: unknown;
      } | null | undefined;
      metadata?: Record<string, string> | null | undefined;
      webhook_url?: string | null | undefined;
      [field: string]: unknown;
    };
    answer: Execution;
  };
  /** Speak a text */
  'POST /speech': {
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
      /** 1 is normal. `GET /models` tells what a model can do */
      speed?: number | undefined;
      /** How to speak. Models that cannot follow it ignore it, which `warnings` report */
      instructions?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Transcribe audio */
  'POST /transcription': {
    body: {
      /** Audio or video that was uploaded or generated before */
      asset_id: string;
      /** `provider/model`. Default: the configured model */
      model?: string | undefined;
      /** `translate`: into English. `GET /models` tells which models can */
      task?: 'transcribe' | 'translate' | undefined;
      /** Language of the audio, as an ISO 639 code. Default: detected */
      language?: string | undefined;
      /** Names and terms that occur, or the text before */
      prompt?: string | undefined;
      temperature?: number | undefined;
      /** `word`: the times of words, too. Times of segments are always included if the model reports them */
      timestamp_granularities?: ('segment' | 'word')[] | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    form: {
      /** The file, with a filename */
      file: Blob;
      /** `provider/model`. Default: the configured model */
      model?: string | undefined;
      /** `translate`: into English. `GET /models` tells which models can */
      task?: 'transcribe' | 'translate' | undefined;
      /** Language of the audio, as an ISO 639 code. Default: detected */
      language?: string | undefined;
      /** Names and terms that occur, or the text before */
      prompt?: string | undefined;
      temperature?: number | undefined;
      /** `word`: the times of words, too. Times of segments are always included if the model reports them */
      timestamp_granularities?: ('segment' | 'word')[] | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Run a spoken turn */
  'POST /voice/chat': {
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
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
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
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Follow an execution's events */
  'GET /jobs/{job_id}/events': {
    path: {
      /** The job's id */
      job_id: string;
    };
    query?: {
      /** The `seq` of the last event you received. */
      after?: number | undefined;
    };
    answer: Execution;
  };
  /** Follow a scope's events */
  'GET /events': {
    query?: {
      /** The `id` of the last event you received. */
      after?: string | undefined;
    };
    answer: FeedFrame;
  };
  /** Get an execution */
  'GET /jobs/{job_id}': {
    path: {
      /** The job's id */
      job_id: string;
    };
    answer: Execution;
  };
  /** Delete a finished execution */
  'DELETE /jobs/{job_id}': {
    path: {
      /** The job's id */
      job_id: string;
    };
    query?: {
      /** Also deletes the assets it generated, and the recording it was given. */
      assets?: 'true' | 'false' | undefined;
    };
    answer: Deletion;
  };
  /** List executions */
  'GET /jobs': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      kind?: 'chat.completion' | 'chat.title' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ask' | 'knowledge.ingest' | 'knowledge.read' | 'knowledge.search' | 'response' | 'speech' | 'transcription' | 'voice.turn' | undefined;
      status?: 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled' | undefined;
      batch_id?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Execution[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Cancel an execution */
  'POST /jobs/{job_id}/cancel': {
    path: {
      /** The job's id */
      job_id: string;
    };
    answer: Execution;
  };
  /** Approve or deny a tool call */
  'POST /jobs/{job_id}/actions': {
    path: {
      /** The job's id */
      job_id: string;
    };
    body: {
      tool_call_id: string;
      decision: 'approve' | 'deny';
      /** For the model, if the call is denied */
      reason?: string | undefined;
    };
    answer: Execution;
  };
  /** Retry a failed or cancelled execution */
  'POST /jobs/{job_id}/retry': {
    path: {
      /** The job's id */
      job_id: string;
    };
    body?: {
      stream?: boolean | undefined;
      /** Receives a webhook at the end. Default: the webhook of the original execution */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Check whether chats can run */
  'GET /chat/health': {
    answer: {
      object: 'chat.health';
      /** `degraded`: chat works, but something is wrong. `unavailable`: no chat can run */
      status: 'ok' | 'degraded' | 'unavailable';
      store: {
        status: 'ok' | 'failing';
        /** Null while it does not respond */
        latency_ms: number | null;
      };
      redis: {
        status: 'ok' | 'failing';
        /** Null while it does not respond */
        latency_ms: number | null;
      };
      pools: {
        name: string;
        /** `missing`: no worker of this pool is alive */
        status: 'ok' | 'missing';
        workers: number;
        /** Running jobs */
        active: number;
        /** Jobs that can run at once */
        concurrency: number;
        waiting: number | null;
        oldest_waiting_ms: number | null;
      }[];
      models: {
        id: string;
        provider: string;
        /** From its provider's latest calls. `unknown`: no calls yet */
        status: 'ok' | 'failing' | 'unknown';
        default: boolean;
      }[];
      /** Engines that read text from images: usually one, and one per setup if machines differ */
      ocr: {
        /** `tesseract` is the system's program */
        name: 'tesseract' | 'tesseract.js';
        version: string;
        /** Values for `languages` in a request */
        languages: string[];
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
        pools: string[];
      }[];
      checked_at: string;
    };
  };
  /** Create a batch of up to 10,000 requests */
  'POST /batches': {
    body: {
      /** For items that name none */
      kind?: 'chat.completion' | 'embedding' | 'iris.image' | 'iris.ocr' | 'iris.upscale' | 'iris.verify' | 'iris.video' | 'knowledge.ingest' | 'response' | 'speech' | 'transcription' | undefined;
      /** Default fields of the items’ bodies. With `kind`, they apply to items of that kind only */
      defaults?: Record<string, unknown> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
      metadata?: Record<string, string> | undefined;
      items: BatchItemRequest[];
    };
    answer: Batch;
  };
  /** List batches */
  'GET /batches': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      status?: 'running' | 'completed' | 'cancelling' | 'cancelled' | undefined;
    };
    answer: {
      object: 'list';
      data: Batch[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get a batch */
  'GET /batches/{batch_id}': {
    path: {
      /** The batch's id */
      batch_id: string;
    };
    answer: Batch;
  };
  /** Delete a finished batch */
  'DELETE /batches/{batch_id}': {
    path: {
      /** The batch's id */
      batch_id: string;
    };
    query?: {
      /** Also deletes the assets that its executions generated. */
      assets?: 'true' | 'false' | undefined;
    };
    answer: Deletion;
  };
  /** Follow a batch */
  'GET /batches/{batch_id}/events': {
    path: {
      /** The batch's id */
      batch_id: string;
    };
    answer: BatchFrame;
  };
  /** List a batch's items */
  'GET /batches/{batch_id}/items': {
    path: {
      /** The batch's id */
      batch_id: string;
    };
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      status?: 'waiting' | 'queued' | 'running' | 'requires_action' | 'succeeded' | 'failed' | 'cancelled' | 'skipped' | undefined;
    };
    answer: {
      object: 'list';
      data: BatchItem[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get a batch's results */
  'GET /batches/{batch_id}/results': {
    path: {
      /** The batch's id */
      batch_id: string;
    };
    query?: {
      /** `cursor` of the last line you received */
      after?: string | undefined;
      /** `true`: continues until the batch has ended */
      follow?: 'true' | 'false' | undefined;
    };
    answer: BatchResult;
  };
  /** Cancel a batch */
  'POST /batches/{batch_id}/cancel': {
    path: {
      /** The batch's id */
      batch_id: string;
    };
    answer: Batch;
  };
  /** Retry the unsuccessful items of a batch */
  'POST /batches/{batch_id}/retry': {
    path: {
      /** The batch's id */
      batch_id: string;
    };
    answer: Batch;
  };
  /** Create a session */
  'POST /sessions': {
    body?: {
      title?: string | null | undefined;
      pinned?: boolean | undefined;
      starred?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
    };
    answer: Session;
  };
  /** List your sessions */
  'GET /sessions': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      pinned?: 'true' | 'false' | undefined;
      starred?: 'true' | 'false' | undefined;
      /** Default: `false`; with `q`, archived sessions are found, too. */
      archived?: 'true' | 'false' | undefined;
      /** `fld_…`: only sessions of this folder. */
      folder_id?: string | undefined;
      /** Words of titles and messages. */
      q?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Session[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Export all of your sessions */
  'GET /sessions/export': {
    answer: SessionExport;
  };
  /** Export a session */
  'GET /sessions/{session_id}/export': {
    path: {
      /** The session's id */
      session_id: string;
    };
    query?: {
      /** `markdown` is for reading; it cannot be imported. */
      format?: 'json' | 'markdown' | undefined;
    };
    answer: SessionExport;
  };
  /** Import sessions */
  'POST /sessions/import': {
    body: unknown[] | Record<string, unknown>;
    answer: {
      object: 'list';
      data: ImportedSession[];
      has_more: boolean;
      next_cursor: string | null;
      imported: number;
      skipped: number;
      failed: number;
    };
  };
  /** Get a session */
  'GET /sessions/{session_id}': {
    path: {
      /** The session's id */
      session_id: string;
    };
    answer: Session;
  };
  /** Rename, pin, star, archive or move a session */
  'PATCH /sessions/{session_id}': {
    path: {
      /** The session's id */
      session_id: string;
    };
    body: {
      title?: string | null | undefined;
      pinned?: boolean | undefined;
      starred?: boolean | undefined;
      archived?: boolean | undefined;
      /** `fld_…`: the folder to move it into; null: none */
      folder_id?: string | null | undefined;
      metadata?: Record<string, string> | undefined;
    };
    answer: Session;
  };
  /** Delete a session */
  'DELETE /sessions/{session_id}': {
    path: {
      /** The session's id */
      session_id: string;
    };
    answer: Deletion;
  };
  /** List a session's messages */
  'GET /sessions/{session_id}/messages': {
    path: {
      /** The session's id */
      session_id: string;
    };
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
    answer: {
      object: 'list';
      data: Message[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Fork a session */
  'POST /sessions/{session_id}/fork': {
    path: {
      /** The session's id */
      session_id: string;
    };
    body?: {
      /** `msg_…`: the last message to copy. Default: the last one of the conversation. */
      message_id?: string | undefined;
      /** Default: the session's title with a note that this is a fork. */
      title?: string | undefined;
    };
    answer: Session;
  };
  /** Get a message */
  'GET /messages/{message_id}': {
    path: {
      /** The message's id */
      message_id: string;
    };
    answer: Message;
  };
  /** Edit a message */
  'PATCH /messages/{message_id}': {
    path: {
      /** The message's id */
      message_id: string;
    };
    body: {
      content: string;
    };
    answer: Message;
  };
  /** Delete a message with its history */
  'DELETE /messages/{message_id}': {
    path: {
      /** The message's id */
      message_id: string;
    };
    answer: Deletion;
  };
  /** List a message's revisions */
  'GET /messages/{message_id}/history': {
    path: {
      /** The message's id */
      message_id: string;
    };
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: MessageRevision[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Undo the last edit of a message */
  'POST /messages/{message_id}/undo': {
    path: {
      /** The message's id */
      message_id: string;
    };
    answer: Message;
  };
  /** Make an earlier version of an answer current again */
  'POST /messages/{message_id}/restore': {
    path: {
      /** The message's id */
      message_id: string;
    };
    answer: Message;
  };
  /** Rate an answer */
  'POST /messages/{message_id}/rate': {
    path: {
      /** The message's id */
      message_id: string;
    };
    body: {
      /** Null removes the rating */
      rating: 'up' | 'down' | null;
    };
    answer: Message;
  };
  /** Create a ticket for the voice socket */
  'POST /voice/tickets': {
    answer: VoiceTicket;
  };
  /** Get voice options and past spoken turns */
  'POST /voice/chat/meta': {
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
    answer: VoiceMeta;
  };
  /** Interrupt a session's spoken answer */
  'POST /voice/interrupt/{session_id}': {
    path: {
      /** The session's id */
      session_id: string;
    };
    answer: {
      object: 'voice.interruption';
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
    form: {
      file: Blob[];
      /** Only for a single file */
      title?: string | undefined;
      tags?: string[] | undefined;
      /** For pages that need OCR, the most likely first */
      languages?: string[] | undefined;
      /** If the scope already has the same content: return the existing entry, or create another */
      on_duplicate?: 'reuse' | 'create' | undefined;
      /** Adds it for a conversation instead of the scope: name its id in `attachments` of a message within a day, and only that conversation uses it. Always creates a new entry */
      for_conversation?: boolean | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: KnowledgeCreated | KnowledgeUploaded;
  };
  /** Add a text or web page */
  'POST /console/knowledge': {
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
      tags?: string[] | undefined;
      /** For pages that need OCR, the most likely first */
      languages?: string[] | undefined;
      /** If the scope already has the same content: return the existing entry, or create another */
      on_duplicate?: 'reuse' | 'create' | undefined;
      /** Adds it for a conversation instead of the scope: name its id in `attachments` of a message within a day, and only that conversation uses it. Always creates a new entry */
      for_conversation?: boolean | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: KnowledgeCreated;
  };
  /** List entries */
  'GET /console/knowledge': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      status?: 'processing' | 'ready' | 'failed' | undefined;
      tag?: string | undefined;
      source?: 'text' | 'url' | 'file' | undefined;
      /** Words of the title. */
      q?: string | undefined;
      /** `ses_…`: the documents of this conversation, instead of those of the scope */
      session_id?: string | undefined;
    };
    answer: {
      object: 'list';
      data: KnowledgeEntry[];
      has_more: boolean;
      next_cursor: string | null;
      counts: {
        total: number;
        processing: number;
        ready: number;
        failed: number;
      };
    };
  };
  /** Get an entry */
  'GET /console/knowledge/{entry_id}': {
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    answer: KnowledgeEntry;
  };
  /** Update an entry */
  'PATCH /console/knowledge/{entry_id}': {
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    body: {
      title?: string | undefined;
      tags?: string[] | undefined;
      metadata?: Record<string, string> | undefined;
      /** The new text, ingested as a new revision. The old one is used until then */
      content?: string | undefined;
      format?: 'text' | 'markdown' | 'html' | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: KnowledgeEntry;
  };
  /** Delete an entry */
  'DELETE /console/knowledge/{entry_id}': {
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    answer: Deletion;
  };
  /** List an entry's chunks */
  'GET /console/knowledge/{entry_id}/chunks': {
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: KnowledgeChunk[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Retry a failed entry */
  'POST /console/knowledge/{entry_id}/retry': {
    path: {
      /** The knowledge's id */
      entry_id: string;
    };
    body?: {
      stream?: boolean | undefined;
      /** Receives a signed POST when it ends, or waits for a decision */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Get an asset's content */
  'GET /assets/{asset_id}/content': {
    path: {
      /** The asset's id */
      asset_id: string;
    };
    query?: {
      /** Part of a signed URL. */
      expires?: string | undefined;
      /** Part of a signed URL. */
      signature?: string | undefined;
    };
    answer: Blob;
  };
  /** Get an asset's thumbnail */
  'GET /assets/{asset_id}/thumbnail': {
    path: {
      /** The asset's id */
      asset_id: string;
    };
    query?: {
      /** Part of a signed URL. */
      expires?: string | undefined;
      /** Part of a signed URL. */
      signature?: string | undefined;
    };
    answer: Blob;
  };
  /** Upload a file */
  'POST /assets': {
    form: {
      /** The file, with a filename */
      file: Blob;
    };
    answer: OwnedAsset;
  };
  /** List assets */
  'GET /assets': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      kind?: 'image' | 'video' | 'audio' | 'document' | 'other' | undefined;
      /** Only assets that this execution generated. */
      execution_id?: string | undefined;
    };
    answer: {
      object: 'list';
      data: OwnedAsset[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get an asset */
  'GET /assets/{asset_id}': {
    path: {
      /** The asset's id */
      asset_id: string;
    };
    answer: OwnedAsset;
  };
  /** Delete an asset */
  'DELETE /assets/{asset_id}': {
    path: {
      /** The asset's id */
      asset_id: string;
    };
    answer: Deletion;
  };
  /** Archive a text or a snapshot */
  'POST /archive/units': {
    body: {
      /** Default: the title of the original, or the start of the content */
      title?: string | undefined;
      /** Excludes `from` */
      content?: string | undefined;
      from?: {
        type: 'session' | 'message' | 'knowledge';
        id: string;
      } | undefined;
      tags?: string[] | undefined;
      metadata?: Record<string, string> | undefined;
    };
    answer: ArchiveUnit;
  };
  /** List archive units */
  'GET /archive/units': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      tag?: string | undefined;
      source?: 'session' | 'message' | 'knowledge' | 'text' | undefined;
      source_id?: string | undefined;
      /** Words of title and content; the best matches come first. */
      q?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ArchiveUnit[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get an archive unit */
  'GET /archive/units/{unit_id}': {
    path: {
      /** The archive's id */
      unit_id: string;
    };
    answer: ArchiveUnit;
  };
  /** Update an archive unit */
  'PATCH /archive/units/{unit_id}': {
    path: {
      /** The archive's id */
      unit_id: string;
    };
    body: {
      title?: string | undefined;
      content?: string | undefined;
      tags?: string[] | undefined;
      metadata?: Record<string, string> | undefined;
    };
    answer: ArchiveUnit;
  };
  /** Delete an archive unit */
  'DELETE /archive/units/{unit_id}': {
    path: {
      /** The archive's id */
      unit_id: string;
    };
    answer: Deletion;
  };
  /** List an archive unit's revisions */
  'GET /archive/units/{unit_id}/revisions': {
    path: {
      /** The archive's id */
      unit_id: string;
    };
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ArchiveRevision[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Export the archive */
  'GET /archive/export': {
    query?: {
      /** The `id` of the last line you received; the export continues after it. */
      after?: string | undefined;
      tag?: string | undefined;
      source?: 'session' | 'message' | 'knowledge' | 'text' | undefined;
    };
    answer: ArchiveUnit;
  };
  /** List webhook deliveries */
  'GET /webhook-deliveries': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      execution_id?: string | undefined;
      batch_id?: string | undefined;
      status?: 'pending' | 'delivered' | 'failed' | undefined;
    };
    answer: {
      object: 'list';
      data: WebhookDelivery[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get a webhook delivery */
  'GET /webhook-deliveries/{delivery_id}': {
    path: {
      /** The webhookDelivery's id */
      delivery_id: string;
    };
    answer: WebhookDelivery;
  };
  /** Redeliver a webhook */
  'POST /webhook-deliveries/{delivery_id}/redeliver': {
    path: {
      /** The webhookDelivery's id */
      delivery_id: string;
    };
    answer: WebhookDelivery;
  };
  /** Get the scope's webhook signing secret */
  'GET /webhook-secret': {
    answer: WebhookSecret;
  };
  /** Rotate the webhook signing secret */
  'POST /webhook-secret/rotate': {
    answer: WebhookSecret;
  };
  /** List available models */
  'GET /models': {
    query?: {
      /** Page size, 1 to 100. Default: all models. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Model[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** List kinds of work */
  'GET /kinds': {
    answer: {
      object: 'list';
      data: Kind[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get usage by day, model and API key, and storage */
  'GET /usage': {
    query?: {
      /** First day, in UTC; default: 29 days before `to`. */
      from?: string | undefined;
      /** Last day, in UTC; default: today. */
      to?: string | undefined;
    };
    answer: UsageReport;
  };
  /** Log in */
  'POST /auth/login': {
    body: {
      email: string;
      password: string;
      /** A code from your authenticator app, or a recovery code. Required with two-factor authentication */
      totp_code?: string | undefined;
    };
    answer: TokenAnswer;
  };
  /** Refresh tokens */
  'POST /auth/refresh': {
    body?: {
      /** Omit it to use the cookie */
      refresh_token?: string | undefined;
    };
    answer: TokenAnswer;
  };
  /** Complete a login with a code */
  'POST /auth/totp': {
    body: {
      /** The challenge from `totp_required` */
      challenge: string;
      /** A code from your authenticator app, or a recovery code */
      code: string;
    };
    answer: TokenAnswer;
  };
  /** Log out */
  'POST /auth/logout': {
    answer: {
      object: 'logout';
      logged_out: true;
    };
  };
  /** Log out with the cookie */
  'POST /auth/forget': {
    answer: {
      object: 'logout';
      logged_out: true;
    };
  };
  /** Get the current user and scope */
  'GET /me': {
    answer: {
      /** `usr_…` */
      id: string;
      object: 'user';
      email: string;
      /** May operate the platform: see queues, manage users and providers */
      operator: boolean;
      created_at: string;
      scope: {
        type: 'personal' | 'workspace';
        workspace_id: string | null;
        /** Your rights in this scope */
        role: 'viewer' | 'editor' | 'admin' | 'owner';
      };
    };
  };
  /** Change your password */
  'POST /me/password': {
    body: {
      current_password: string;
      new_password: string;
      /** Ends all your other logins. */
      end_logins?: boolean | undefined;
      /** Revokes all your API keys. */
      revoke_keys?: boolean | undefined;
    };
    answer: User;
  };
  /** List your logins */
  'GET /me/logins': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: LoginSession[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** End all your other logins */
  'DELETE /me/logins': {
    answer: {
      object: 'logins';
      ended: number;
    };
  };
  /** End one of your logins */
  'DELETE /me/logins/{login_id}': {
    path: {
      /** The login's id */
      login_id: string;
    };
    answer: Deletion;
  };
  /** Get your two-factor authentication status */
  'GET /me/totp': {
    answer: {
      object: 'totp';
      enabled: boolean;
      enabled_at: string | null;
      recovery_codes_left: number;
    };
  };
  /** Set up two-factor authentication */
  'POST /me/totp': {
    body: {
      current_password: string;
    };
    answer: {
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
    body: {
      code: string;
    };
    answer: {
      object: 'totp.recovery_codes';
      /** Each works once, without the app. Shown only once */
      recovery_codes: string[];
    };
  };
  /** Replace your recovery codes */
  'POST /me/totp/recovery-codes': {
    body: {
      current_password: string;
      code: string;
    };
    answer: {
      object: 'totp.recovery_codes';
      /** Each works once, without the app. Shown only once */
      recovery_codes: string[];
    };
  };
  /** Turn two-factor authentication off */
  'POST /me/totp/disable': {
    body: {
      current_password: string;
      code: string;
    };
    answer: {
      object: 'totp';
      enabled: boolean;
      enabled_at: string | null;
      recovery_codes_left: number;
    };
  };
  /** Create an API key */
  'POST /api-keys': {
    body: {
      name: string;
      /** `read`: get and list; `write`: create, edit, delete; `run`: run models, cancel, retry; `manage`: members, invitations, the audit log; `operator`: users and queues of the platform, for operators only and never together with `workspace_id`. A key can never do more than its user, and no key can create keys or change passwords. */
      permissions?: ('read' | 'write' | 'run' | 'manage' | 'operator')[] | undefined;
      /** Binds the key to this workspace: it only works in that scope, and only lists its records. */
      workspace_id?: string | null | undefined;
      expires_at?: string | null | undefined;
      /** Requests per minute, over all rate limit classes. */
      rate_limit?: number | null | undefined;
    };
    answer: CreatedApiKey;
  };
  /** List your API keys */
  'GET /api-keys': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ApiKey[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Revoke an API key permanently */
  'POST /api-keys/{key_id}/revoke': {
    path: {
      /** The apiKey's id */
      key_id: string;
    };
    answer: ApiKey;
  };
  /** Disable or enable an API key */
  'POST /api-keys/{key_id}/disable': {
    path: {
      /** The apiKey's id */
      key_id: string;
    };
    body?: {
      /** `false` enables the key again. */
      disabled?: boolean | undefined;
    };
    answer: ApiKey;
  };
  /** Create an agent */
  'POST /agents': {
    body: {
      name: string;
      /** Instructions that precede the conversation */
      instructions?: string | null | undefined;
      /** `provider/model`; null: the configured default */
      model?: string | null | undefined;
      temperature?: number | null | undefined;
      /** Entries with one of these tags are used for answers */
      knowledge_tags?: string[] | undefined;
      /** Voice of spoken answers */
      voice?: string | null | undefined;
      /** Models to fall back to, in this order, when one fails before producing output */
      fallbacks?: string[] | undefined;
      /** Tools that the agent runs on the server, in chat and voice turns */
      tools?: ({
        type: 'knowledge_search';
        /** Only entries with one of these tags. Default: all of the scope */
        tags?: string[] | undefined;
      } | {
        type: 'web_fetch';
      } | {
        type: 'generate_image';
        /** `provider/model`. Default: the configured model */
        model?: string | undefined;
      } | {
        type: 'read_document';
      } | {
        type: 'http';
        /** `api_…`: a registered API */
        api_id: string;
        /** Ids of its operations. Default: all */
        operations?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      } | {
        type: 'mcp';
        /** `mcp_…`: a registered MCP server */
        server_id: string;
        /** Names of its tools. Default: all */
        allowed_tools?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      })[] | undefined;
      /** Most steps of a turn: answers of the model that call tools. It then answers without tools */
      max_steps?: number | undefined;
      /** Which calls need approval. `writes`: those of servers and APIs that are not read-only */
      approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      /** Ends a turn that has cost this much */
      max_cost_usd?: number | null | undefined;
    };
    answer: Agent;
  };
  /** List agents */
  'GET /agents': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Agent[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Create a folder for sessions */
  'POST /folders': {
    body: {
      name: string;
    };
    answer: Folder;
  };
  /** List your folders */
  'GET /folders': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Folder[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Rename a folder */
  'PATCH /folders/{folder_id}': {
    path: {
      /** The folder's id */
      folder_id: string;
    };
    body: {
      name: string;
    };
    answer: Folder;
  };
  /** Delete a folder */
  'DELETE /folders/{folder_id}': {
    path: {
      /** The folder's id */
      folder_id: string;
    };
    answer: Deletion;
  };
  /** Share a session by link */
  'POST /sessions/{session_id}/shares': {
    path: {
      /** The session's id */
      session_id: string;
    };
    body?: {
      /** `msg_…`: the last message to share. Default: the last one of the conversation. */
      message_id?: string | undefined;
      /** Default: never */
      expires_at?: string | null | undefined;
    };
    answer: CreatedShare;
  };
  /** List your links to sessions */
  'GET /shares': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      /** `ses_…`: only links to this session. */
      session_id?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Share[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Revoke a link to a session */
  'DELETE /shares/{share_id}': {
    path: {
      /** The share's id */
      share_id: string;
    };
    answer: Deletion;
  };
  /** Get a shared session */
  'GET /shared/{token}': {
    path: {
      /** The shareToken's id */
      token: string;
    };
    answer: SharedSession;
  };
  /** List a shared session's messages */
  'GET /shared/{token}/messages': {
    path: {
      /** The shareToken's id */
      token: string;
    };
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: SharedMessage[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get an image of a shared session */
  'GET /shared/{token}/images/{asset_id}': {
    path: {
      /** The shareToken's id */
      token: string;
      /** The asset's id */
      asset_id: string;
    };
    answer: Blob;
  };
  /** Get an agent */
  'GET /agents/{agent_id}': {
    path: {
      /** The agent's id */
      agent_id: string;
    };
    answer: Agent;
  };
  /** Update an agent */
  'PATCH /agents/{agent_id}': {
    path: {
      /** The agent's id */
      agent_id: string;
    };
    body: {
      name?: string | undefined;
      /** Instructions that precede the conversation */
      instructions?: string | null | undefined;
      /** `provider/model`; null: the configured default */
      model?: string | null | undefined;
      temperature?: number | null | undefined;
      /** Entries with one of these tags are used for answers */
      knowledge_tags?: string[] | undefined;
      /** Voice of spoken answers */
      voice?: string | null | undefined;
      /** Models to fall back to, in this order, when one fails before producing output */
      fallbacks?: string[] | undefined;
      /** Tools that the agent runs on the server, in chat and voice turns */
      tools?: ({
        type: 'knowledge_search';
        /** Only entries with one of these tags. Default: all of the scope */
        tags?: string[] | undefined;
      } | {
        type: 'web_fetch';
      } | {
        type: 'generate_image';
        /** `provider/model`. Default: the configured model */
        model?: string | undefined;
      } | {
        type: 'read_document';
      } | {
        type: 'http';
        /** `api_…`: a registered API */
        api_id: string;
        /** Ids of its operations. Default: all */
        operations?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      } | {
        type: 'mcp';
        /** `mcp_…`: a registered MCP server */
        server_id: string;
        /** Names of its tools. Default: all */
        allowed_tools?: string[] | undefined;
        /** Replaces the agent's `approval` for these tools */
        approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      })[] | undefined;
      /** Most steps of a turn: answers of the model that call tools. It then answers without tools */
      max_steps?: number | undefined;
      /** Which calls need approval. `writes`: those of servers and APIs that are not read-only */
      approval?: 'never' | 'writes' | 'always' | string[] | undefined;
      /** Ends a turn that has cost this much */
      max_cost_usd?: number | null | undefined;
    };
    answer: Agent;
  };
  /** Delete an agent */
  'DELETE /agents/{agent_id}': {
    path: {
      /** The agent's id */
      agent_id: string;
    };
    answer: Deletion;
  };
  /** Create a prompt */
  'POST /prompts': {
    body: {
      name: string;
      /** The text. `{{name}}` is a variable, filled in when the prompt is used */
      content: string;
    };
    answer: Prompt;
  };
  /** List prompts */
  'GET /prompts': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Prompt[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get a prompt */
  'GET /prompts/{prompt_id}': {
    path: {
      /** The prompt's id */
      prompt_id: string;
    };
    answer: Prompt;
  };
  /** Update a prompt */
  'PATCH /prompts/{prompt_id}': {
    path: {
      /** The prompt's id */
      prompt_id: string;
    };
    body: {
      name?: string | undefined;
      /** The text. `{{name}}` is a variable, filled in when the prompt is used */
      content?: string | undefined;
    };
    answer: Prompt;
  };
  /** Delete a prompt */
  'DELETE /prompts/{prompt_id}': {
    path: {
      /** The prompt's id */
      prompt_id: string;
    };
    answer: Deletion;
  };
  /** Register an MCP server */
  'POST /mcp-servers': {
    body: {
      name: string;
      /** Endpoint of streamable HTTP. Private hosts need `OUTBOUND_ALLOW` */
      url: string;
      /** Sent with each request, for example `Authorization`. Stored encrypted, and never returned */
      headers?: Record<string, string> | undefined;
      /** Names of tools that agents may use; null: all */
      allowed_tools?: string[] | null | undefined;
      /** Agents get no tools of a server that is not enabled */
      enabled?: boolean | undefined;
    };
    answer: McpServer;
  };
  /** List MCP servers */
  'GET /mcp-servers': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: McpServer[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get an MCP server */
  'GET /mcp-servers/{server_id}': {
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    answer: McpServer;
  };
  /** Update an MCP server */
  'PATCH /mcp-servers/{server_id}': {
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    body: {
      name?: string | undefined;
      /** Endpoint of streamable HTTP. Private hosts need `OUTBOUND_ALLOW` */
      url?: string | undefined;
      /** Names of tools that agents may use; null: all */
      allowed_tools?: string[] | null | undefined;
      /** Agents get no tools of a server that is not enabled */
      enabled?: boolean | undefined;
      /** Replaces all headers. Required if the host of `url` changes */
      headers?: Record<string, string> | undefined;
    };
    answer: McpServer;
  };
  /** Delete an MCP server */
  'DELETE /mcp-servers/{server_id}': {
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    answer: Deletion;
  };
  /** List the tools of an MCP server */
  'GET /mcp-servers/{server_id}/tools': {
    path: {
      /** The mcpServer's id */
      server_id: string;
    };
    answer: McpServerTools;
  };
  /** Register an API */
  'POST /tool-apis': {
    body: {
      name: string;
      /** Agents get no tools of an API that is not enabled */
      enabled?: boolean | undefined;
      /** An OpenAPI 3 document, as JSON or YAML. Instead of `document_url` */
      document?: string | undefined;
      /** Where the document is. It is read once, now */
      document_url?: string | undefined;
      /** Instead of the first server of the document */
      base_url?: string | undefined;
      /** Credentials. Stored encrypted, and never returned */
      auth?: {
        type: 'none';
      } | {
        type: 'bearer';
        token: string;
      } | {
        type: 'header';
        name: string;
        value: string;
      } | {
        type: 'query';
        name: string;
        value: string;
      } | {
        type: 'basic';
        username: string;
        password: string;
      } | undefined;
    };
    answer: ToolApi;
  };
  /** List APIs */
  'GET /tool-apis': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ToolApi[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get an API */
  'GET /tool-apis/{api_id}': {
    path: {
      /** The toolApi's id */
      api_id: string;
    };
    answer: ToolApi;
  };
  /** Update an API */
  'PATCH /tool-apis/{api_id}': {
    path: {
      /** The toolApi's id */
      api_id: string;
    };
    body: {
      name?: string | undefined;
      /** Agents get no tools of an API that is not enabled */
      enabled?: boolean | undefined;
      /** An OpenAPI 3 document, as JSON or YAML. Instead of `document_url` */
      document?: string | undefined;
      /** Where the document is. It is read once, now */
      document_url?: string | undefined;
      /** Instead of the first server of the document */
      base_url?: string | undefined;
      /** Replaces the credentials. Required if the host that is called changes */
      auth?: {
        type: 'none';
      } | {
        type: 'bearer';
        token: string;
      } | {
        type: 'header';
        name: string;
        value: string;
      } | {
        type: 'query';
        name: string;
        value: string;
      } | {
        type: 'basic';
        username: string;
        password: string;
      } | undefined;
    };
    answer: ToolApi;
  };
  /** Delete an API */
  'DELETE /tool-apis/{api_id}': {
    path: {
      /** The toolApi's id */
      api_id: string;
    };
    answer: Deletion;
  };
  /** Create a workspace */
  'POST /workspaces': {
    body: {
      name: string;
    };
    answer: Workspace;
  };
  /** List your workspaces */
  'GET /workspaces': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Workspace[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get a workspace */
  'GET /workspaces/{workspace_id}': {
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    answer: Workspace;
  };
  /** Rename a workspace */
  'PATCH /workspaces/{workspace_id}': {
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    body: {
      name: string;
    };
    answer: Workspace;
  };
  /** Delete a workspace */
  'DELETE /workspaces/{workspace_id}': {
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    answer: Deletion;
  };
  /** List a workspace's members */
  'GET /workspaces/{workspace_id}/members': {
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Member[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Change a member's role */
  'PATCH /workspaces/{workspace_id}/members/{user_id}': {
    path: {
      /** The workspace's id */
      workspace_id: string;
      /** The user's id */
      user_id: string;
    };
    body: {
      role: 'viewer' | 'editor' | 'admin' | 'owner';
    };
    answer: Member;
  };
  /** Remove a member */
  'DELETE /workspaces/{workspace_id}/members/{user_id}': {
    path: {
      /** The workspace's id */
      workspace_id: string;
      /** The user's id */
      user_id: string;
    };
    answer: Deletion;
  };
  /** Leave a workspace */
  'POST /workspaces/{workspace_id}/leave': {
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    answer: Deletion;
  };
  /** Invite someone to a workspace */
  'POST /workspaces/{workspace_id}/invitations': {
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    body: {
      email: string;
      role?: 'viewer' | 'editor' | 'admin' | 'owner' | undefined;
      expires_in_s?: number | undefined;
    };
    answer: CreatedInvitation;
  };
  /** List a workspace's open invitations */
  'GET /workspaces/{workspace_id}/invitations': {
    path: {
      /** The workspace's id */
      workspace_id: string;
    };
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Invitation[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Revoke an invitation */
  'DELETE /workspaces/{workspace_id}/invitations/{invitation_id}': {
    path: {
      /** The workspace's id */
      workspace_id: string;
      /** The invitation's id */
      invitation_id: string;
    };
    answer: Deletion;
  };
  /** Accept an invitation with a new account */
  'POST /invitations/accept': {
    body: {
      token: string;
      /** The password of the new account */
      password: string;
    };
    answer: TokenAnswer;
  };
  /** Accept an invitation with your account */
  'POST /me/invitations/accept': {
    body: {
      token: string;
    };
    answer: Workspace;
  };
  /** List audit log entries */
  'GET /audit': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
      action?: 'login.succeeded' | 'login.failed' | 'login.ended' | 'login.token_reused' | 'password.changed' | 'totp.enabled' | 'totp.disabled' | 'totp.reset' | 'totp.recovery_code_used' | 'totp.recovery_codes_renewed' | 'user.created' | 'user.disabled' | 'user.enabled' | 'user.operator_granted' | 'user.operator_revoked' | 'api_key.created' | 'api_key.disabled' | 'api_key.enabled' | 'api_key.revoked' | 'workspace.created' | 'workspace.renamed' | 'workspace.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'member.left' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'webhook_secret.rotated' | 'signing_key.rotated' | 'signing_key.revoked' | 'secret_key.rotated' | 'provider_key.set' | 'provider_key.removed' | 'model_settings.changed' | 'mcp_server.created' | 'mcp_server.changed' | 'mcp_server.deleted' | 'tool_api.created' | 'tool_api.changed' | 'tool_api.deleted' | 'agent.deleted' | 'prompt.deleted' | 'archive_unit.deleted' | 'asset.deleted' | 'batch.deleted' | 'tool_call.approved' | 'tool_call.denied' | 'execution.deleted' | 'knowledge.deleted' | 'session.deleted' | 'share.created' | 'share.revoked' | 'message.deleted' | undefined;
      /** Only actions of this user. */
      user_id?: string | undefined;
    };
    answer: {
      object: 'list';
      data: AuditEntry[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get the default models and fallbacks */
  'GET /model-settings': {
    answer: ModelSettings;
  };
  /** Change the default models and fallbacks */
  'PATCH /model-settings': {
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
    answer: ModelSettings;
  };
  /** List providers and their keys */
  'GET /providers': {
    answer: {
      object: 'list';
      data: Provider[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Store a provider's key */
  'PATCH /providers/{provider}': {
    path: {
      /** The provider's id */
      provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
    };
    body: {
      api_key?: string | undefined;
      /** Only for `compatible`: the address of an OpenAI-compatible server */
      base_url?: string | undefined;
    };
    answer: Provider;
  };
  /** Remove a provider's stored key */
  'DELETE /providers/{provider}': {
    path: {
      /** The provider's id */
      provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
    };
    answer: Provider;
  };
  /** Test a provider's key */
  'POST /providers/{provider}/test': {
    path: {
      /** The provider's id */
      provider: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'elevenlabs' | 'deepgram' | 'fal' | 'compatible';
    };
    body?: {
      api_key?: string | undefined;
      /** Only for `compatible`: the address of an OpenAI-compatible server */
      base_url?: string | undefined;
    };
    answer: ProviderTest;
  };
  /** List all users */
  'GET /users': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ListedUser[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get usage by day and user */
  'GET /users/usage': {
    query?: {
      /** First day, in UTC; default: 29 days before `to`. */
      from?: string | undefined;
      /** Last day, in UTC; default: today. */
      to?: string | undefined;
    };
    answer: UserUsageReport;
  };
  /** Get the limits of users and scopes */
  'GET /limits': {
    answer: PlatformLimits;
  };
  /** List open invitations to the platform */
  'GET /users/invitations': {
    query?: {
      /** Page size, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the previous page. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: UserInvitation[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Invite someone to the platform */
  'POST /users/invitations': {
    body: {
      email: string;
      expires_in_s?: number | undefined;
    };
    answer: CreatedUserInvitation;
  };
  /** Revoke an invitation to the platform */
  'DELETE /users/invitations/{invitation_id}': {
    path: {
      /** The invitation's id */
      invitation_id: string;
    };
    answer: Deletion;
  };
  /** Disable a user, or make one an operator */
  'PATCH /users/{user_id}': {
    path: {
      /** The user's id */
      user_id: string;
    };
    body: {
      /** `true`: logins, tokens, and API keys stop working within a second. `false`: they work again */
      disabled?: boolean | undefined;
      /** Whether the user may operate the platform */
      operator?: boolean | undefined;
    };
    answer: ListedUser;
  };
  /** Turn a user's two-factor authentication off */
  'DELETE /users/{user_id}/totp': {
    path: {
      /** The user's id */
      user_id: string;
    };
    answer: Deletion;
  };
  /** Create a ticket for the queue view */
  'POST /queues/tickets': {
    answer: QueuesTicket;
  };
}
