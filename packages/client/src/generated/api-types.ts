// Made from the API's OpenAPI document by `node scripts/client-types/main.ts`: change the declarations of its routes instead.

export interface Agent {
  /** `agt_…` */
  id: string;
  object: 'agent';
  name: string;
  /** What the model is told before the conversation */
  instructions: string | null;
  /** `provider/model`; null: the configured default */
  model: string | null;
  temperature: number | null;
  /** Which knowledge it answers from */
  knowledge_tags: string[];
  /** How it speaks */
  voice: string | null;
  /** Models that take over, in this order, when the one before fails before it has said anything */
  fallbacks: string[];
  /** Who made it */
  user_id: string;
  created_at: string;
  updated_at: string;
}

export interface ApiKey {
  /** `key_…` */
  id: string;
  object: 'api_key';
  name: string;
  /** How the key begins, to tell it by */
  prefix: string;
  status: 'active' | 'disabled' | 'revoked';
  permissions: ('read' | 'write' | 'run' | 'manage' | 'operator')[];
  workspace_id: string | null;
  /** Requests a minute */
  rate_limit: number | null;
  expires_at: string | null;
  /** To a minute or so */
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
  /** Who wrote it */
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
  /** `text`: it was written */
  source: {
    type: 'session' | 'message' | 'knowledge' | 'text';
    /** What it was made from; it may have changed or gone since */
    id: string | null;
    taken_at: string;
  };
  metadata: Record<string, string>;
  /** Goes up with every change. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** Who made it */
  user_id: string;
  created_at: string;
  updated_at: string;
}

export interface Asset {
  /** `ast_…` */
  id: string;
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  /** Found from the bytes, whatever the name says */
  mime_type: string;
  size_bytes: number;
  /** Of the content, in hexadecimal */
  sha256: string;
  filename: string | null;
  /** Pixels, of images and videos */
  width: number | null;
  height: number | null;
  /** Of videos and audio */
  duration_ms: number | null;
  /** The execution that made it; null: it was uploaded */
  execution_id: string | null;
  created_at: string;
  object: 'asset';
  /** Its content; signed, expires, supports Range */
  url: string;
  /** A small image of it, for images and videos; signed, expires */
  thumbnail_url: string | null;
}

export interface AuditEntry {
  /** `aud_…` */
  id: string;
  object: 'audit_entry';
  action: 'login.succeeded' | 'login.failed' | 'login.ended' | 'login.token_reused' | 'password.changed' | 'totp.enabled' | 'totp.disabled' | 'totp.reset' | 'totp.recovery_code_used' | 'totp.recovery_codes_renewed' | 'user.created' | 'user.disabled' | 'user.enabled' | 'api_key.created' | 'api_key.disabled' | 'api_key.enabled' | 'api_key.revoked' | 'workspace.created' | 'workspace.renamed' | 'workspace.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'member.left' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'webhook_secret.rotated' | 'signing_key.rotated' | 'signing_key.revoked' | 'secret_key.rotated' | 'agent.deleted' | 'archive_unit.deleted' | 'asset.deleted' | 'batch.deleted' | 'execution.deleted' | 'knowledge.deleted' | 'session.deleted' | 'message.deleted';
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
  /** Of the items that name none */
  kind: 'iris.image' | 'iris.video' | 'iris.ocr' | 'iris.verify' | 'chat.completion' | null;
  /** `completed`: every item has ended, however */
  status: 'running' | 'completed' | 'cancelling' | 'cancelled';
  counts: BatchCounts;
  progress: {
    /** Items that have ended */
    completed: number;
    total: number;
  };
  webhook_url: string | null;
  metadata: Record<string, string>;
  /** Who sent it */
  user_id: string;
  created_at: string;
  /** When its first item was handed to the workers */
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
  /** Not yet handed to the workers */
  waiting: number;
  queued: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  /** Never run, since an item that they come after did not succeed */
  skipped: number;
}

export interface BatchFrame {
  type: 'batch.progress' | 'batch.completed' | 'batch.cancelled';
  batch: Batch;
}

export interface BatchItem {
  id: string;
  object: 'batch.item';
  /** Its place in the batch, from 0 */
  index: number;
  kind: 'iris.image' | 'iris.video' | 'iris.ocr' | 'iris.verify' | 'chat.completion';
  status: 'waiting' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  after: string[];
  /** Its last execution */
  execution_id: string | null;
  /** Why it failed or was skipped */
  error: Error | null;
  finished_at: string | null;
}

export interface BatchItemRequest {
  /** Unique within the batch; absent: its place, from 0 */
  id?: string | undefined;
  kind?: 'iris.image' | 'iris.video' | 'iris.ocr' | 'iris.verify' | 'chat.completion' | undefined;
  /** Fields of the request of its kind. Of an item that comes `after` others, `{"$from": "<id>", "path": "output.0.asset.id"}` may stand for any value, and `{{<id>.output.0.text}}` within any text */
  body?: Record<string, unknown> | undefined;
  /** Items that must have succeeded before */
  after?: string[] | undefined;
}

export interface BatchResult {
  /** As `after` it goes on behind this line */
  cursor: string;
  item_id: string;
  index: number;
  kind: 'iris.image' | 'iris.video' | 'iris.ocr' | 'iris.verify' | 'chat.completion';
  status: 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  error: Error | null;
  /** Null where none was begun, or it is kept no longer */
  execution: Execution | null;
}

export interface ChatExecution {
  /** `job_…` */
  id: string;
  object: 'chat.completion';
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `provider/model` */
  model: string | null;
  provider: string | null;
  output: OutputItem[];
  progress: Progress | null;
  usage: {
    input_tokens: number;
    output_tokens: number;
    total_tokens: number;
    cost_usd: number | null;
    prompt_tokens: number;
    completion_tokens: number;
  };
  /** For a turn of a session, once it runs */
  context: ConversationContext | null;
  /** What was asked for and left out, or done otherwise than asked, such as a seed that the model does not take */
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
  /** Who began it */
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
      refusal: null;
    };
    finish_reason: string | null;
    logprobs: null;
  }[];
}

export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant';
  content: string | ({
    type: 'text';
    text: string;
  } | {
    type: 'image_url';
    image_url: {
      url: string;
      detail?: 'auto' | 'low' | 'high' | undefined;
    };
  })[];
  name?: string | undefined;
}

export interface Citation {
  type: 'citation';
  /** The answer refers to it as `[marker]` */
  marker: number;
  /** `kno_…` */
  entry_id: string;
  chunk_id: string;
  /** Of the entry, as it was then */
  title: string;
  heading_path: string[];
  /** From 1; null in documents without pages */
  page: number | null;
  /** Word for word as it stands in the chunk */
  quote: string;
  /** How well the chunk fits the question, 0 to 1 */
  score: number;
}

export interface ConversationContext {
  /** How many messages */
  messages: number;
  estimated_tokens: number;
  /** Whether older messages were left out, because they did not fit */
  dropped: boolean;
}

export type ConversationMessage = {
  role: 'system' | 'developer' | 'user';
  content: string | ({
    type: 'text';
    text: string;
  } | {
    type: 'image_url';
    image_url: {
      url: string;
      detail?: 'auto' | 'low' | 'high' | undefined;
    };
  })[];
  name?: string | undefined;
} | {
  role: 'assistant';
  content?: string | ({
    type: 'text';
    text: string;
  } | {
    type: 'image_url';
    image_url: {
      url: string;
      detail?: 'auto' | 'low' | 'high' | undefined;
    };
  } | {
    type: 'refusal';
    refusal: string;
  })[] | null | undefined;
  name?: string | undefined;
  refusal?: string | null | undefined;
  tool_calls?: unknown[] | null | undefined;
  function_call?: unknown | undefined;
} | {
  role: 'tool';
  content?: unknown | undefined;
} | {
  role: 'function';
  content?: unknown | undefined;
};

export interface CreatedApiKey {
  /** `key_…` */
  id: string;
  object: 'api_key';
  name: string;
  /** How the key begins, to tell it by */
  prefix: string;
  status: 'active' | 'disabled' | 'revoked';
  permissions: ('read' | 'write' | 'run' | 'manage' | 'operator')[];
  workspace_id: string | null;
  /** Requests a minute */
  rate_limit: number | null;
  expires_at: string | null;
  /** To a minute or so */
  last_used_at: string | null;
  created_at: string;
  /** The key itself, `chk_…`: shown this once */
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
  /** Whether it may be accepted by creating an account. If not, only someone who already has one can accept. */
  new_account: boolean;
  created_at: string;
  expires_at: string;
  /** What the invited accept with: shown this once. No mail is sent; hand it over yourself */
  token: string;
}

export interface Deletion {
  id: string;
  object: string;
  deleted: true;
}

export interface Error {
  /** Stable name of the error; branch on this. */
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
  /** `execution`; `chat.completion` where OpenAI clients read it */
  object: string;
  /** `chat.completion`, `iris.image`, … */
  kind: string;
  surface: 'chat' | 'iris' | 'knowledge' | 'voice';
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** `provider/model` */
  model: string | null;
  provider: string | null;
  output: OutputItem[];
  progress: Progress | null;
  usage: Usage;
  /** For a turn of a session, once it runs */
  context: ConversationContext | null;
  /** What was asked for and left out, or done otherwise than asked, such as a seed that the model does not take */
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
  /** Who began it */
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
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
} | {
  type: 'execution.started';
  execution_id: string;
  kind: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  attempt: number;
} | {
  type: 'execution.progress';
  execution_id: string;
  kind: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  progress: Progress;
} | {
  type: 'execution.cancelling';
  execution_id: string;
  kind: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
} | {
  type: 'execution.succeeded';
  execution_id: string;
  kind: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
  attempt: number;
  /** Of the work; null: it never began */
  duration_ms: number | null;
  usage: Usage;
  /** What the output is made of, such as `text`; at most 20 */
  output: string[];
  /** Assets among it; at most 20 */
  asset_ids: string[];
  error: {
    code: string;
    message: string;
  } | null;
} | {
  type: 'execution.failed';
  execution_id: string;
  kind: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
  attempt: number;
  /** Of the work; null: it never began */
  duration_ms: number | null;
  usage: Usage;
  /** What the output is made of, such as `text`; at most 20 */
  output: string[];
  /** Assets among it; at most 20 */
  asset_ids: string[];
  error: {
    code: string;
    message: string;
  } | null;
} | {
  type: 'execution.cancelled';
  execution_id: string;
  kind: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  session_id: string | null;
  batch_id: string | null;
  model: string | null;
  attempt: number;
  /** Of the work; null: it never began */
  duration_ms: number | null;
  usage: Usage;
  /** What the output is made of, such as `text`; at most 20 */
  output: string[];
  /** Assets among it; at most 20 */
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
}) & {
  time: string;
  user_id: string;
};

export interface Invitation {
  /** `inv_…` */
  id: string;
  object: 'invitation';
  workspace_id: string;
  email: string;
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  /** `usr_…` */
  invited_by: string;
  /** Whether it may be accepted by creating an account. If not, only someone who already has one can accept. */
  new_account: boolean;
  created_at: string;
  expires_at: string;
}

export interface KnowledgeChunk {
  id: string;
  object: 'knowledge.chunk';
  entry_id: string;
  revision: number;
  /** The entry's */
  title: string;
  text: string;
  /** The headings that it stands under, from the outermost */
  heading_path: string[];
  /** Where it begins, from 1; null in documents without pages */
  page: number | null;
  /** Its place in the document, from 0 */
  position: number;
  /** 0 to 1, comparable within one search; null where nothing was searched */
  score: number | null;
}

export interface KnowledgeCreated {
  /** `kno_…` */
  id: string;
  object: 'knowledge.entry';
  title: string;
  source: KnowledgeSource;
  /** Of the newest revision */
  status: 'processing' | 'ready' | 'failed';
  /** What is done now, or what failed */
  stage: 'fetching' | 'parsing' | 'chunking' | 'embedding' | 'indexing' | null;
  error: Error | null;
  tags: string[];
  metadata: Record<string, string>;
  /** Of the source; null until it was fetched */
  size_bytes: number | null;
  /** Of the source, in hexadecimal */
  sha256: string | null;
  /** Of documents that have pages */
  page_count: number | null;
  /** That answers are looked for in: those of `searchable_revision` */
  chunk_count: number;
  /** Goes up with every new content. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** The revision that questions see: the one before while a new one is processed or has failed; null: none yet */
  searchable_revision: number | null;
  /** `provider/model` whose vectors are searched */
  embedding_model: string | null;
  /** The newest ingestion */
  execution_id: string | null;
  /** What of the document could not be read */
  warnings: string[];
  /** Who added it */
  user_id: string;
  created_at: string;
  updated_at: string;
  /** Whether the scope had this content already: then this is the entry that has it, as it is */
  duplicate: boolean;
}

export interface KnowledgeEntry {
  /** `kno_…` */
  id: string;
  object: 'knowledge.entry';
  title: string;
  source: KnowledgeSource;
  /** Of the newest revision */
  status: 'processing' | 'ready' | 'failed';
  /** What is done now, or what failed */
  stage: 'fetching' | 'parsing' | 'chunking' | 'embedding' | 'indexing' | null;
  error: Error | null;
  tags: string[];
  metadata: Record<string, string>;
  /** Of the source; null until it was fetched */
  size_bytes: number | null;
  /** Of the source, in hexadecimal */
  sha256: string | null;
  /** Of documents that have pages */
  page_count: number | null;
  /** That answers are looked for in: those of `searchable_revision` */
  chunk_count: number;
  /** Goes up with every new content. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** The revision that questions see: the one before while a new one is processed or has failed; null: none yet */
  searchable_revision: number | null;
  /** `provider/model` whose vectors are searched */
  embedding_model: string | null;
  /** The newest ingestion */
  execution_id: string | null;
  /** What of the document could not be read */
  warnings: string[];
  /** Who added it */
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
  /** The file as it was uploaded */
  asset_id: string;
  filename: string | null;
  mime_type: string;
};

export interface KnowledgeUploaded {
  object: 'list';
  /** In the order of the files */
  data: KnowledgeCreated[];
  /** Files that were not taken, although others were; they can be sent again */
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
  /** May see queues and all users */
  operator: boolean;
  created_at: string;
  disabled_at: string | null;
}

export interface LoginSession {
  /** `lgn_…` */
  id: string;
  object: 'login';
  /** Whether this request came with it */
  current: boolean;
  /** The IP address that it was last used from */
  address: string | null;
  /** The browser or program that last used it */
  user_agent: string | null;
  created_at: string;
  /** When it last got an access token */
  last_used_at: string;
  /** When it ends unless it is used before */
  expires_at: string;
}

export interface Member {
  /** `usr_…`: the id of the user */
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
  role: 'user' | 'assistant';
  content: string;
  /** Goes up with every edit and every undo. `If-Match` takes it in quotes, or the `ETag`. */
  revision: number;
  /** An assistant's message has its execution's status; a user's is `succeeded` */
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  execution_id: string | null;
  /** The execution that answered anew from before this message: it is no longer part of the conversation */
  superseded_by: string | null;
  /** Where what it says stands in the sources */
  citations: Citation[];
  /** Ids of the assets that went with it */
  attachments: string[];
  /** Of an answer that was spoken */
  voice: MessageVoice | null;
  usage: Usage | null;
  created_at: string;
  updated_at: string;
}

export interface MessageRevision {
  object: 'message.revision';
  message_id: string;
  revision: number;
  /** `restarted`: the turn ran again and the answer began anew; `interrupted`: it was spoken, and is cut to what was heard */
  action: 'created' | 'edited' | 'undone' | 'restarted' | 'interrupted';
  content: string;
  /** Those that its content refers to */
  citations: Citation[];
  /** With `undone`: the revision whose content came back */
  restores: number | null;
  /** Who did it; null: the model */
  user_id: string | null;
  /** The execution that wrote it, where the model did */
  execution_id: string | null;
  created_at: string;
}

export interface MessageVoice {
  /** `provider/model` that heard the question; null: it was written */
  transcription_model: string | null;
  /** Of the question, where the model says */
  language: string | null;
  /** `provider/model` that spoke */
  speech_model: string | null;
  /** Null: the usual one of the model */
  voice: string | null;
  /** So much sound was made of it */
  spoken_ms: number;
  /** So much of that was heard; null: nobody tells, as over HTTP */
  heard_ms: number | null;
  /** Whether somebody spoke meanwhile: the message holds what was heard until then */
  interrupted: boolean;
  /** What hearing and speaking cost, beside the answer itself; null: the price is not known */
  cost_usd: number | null;
  stages: {
    /** Milliseconds from the beginning of the turn until the question was written down; null: that did not happen */
    transcribed_ms: number | null;
    /** Milliseconds from the beginning of the turn until the first word of the answer; null: that did not happen */
    first_text_ms: number | null;
    /** Milliseconds from the beginning of the turn until the first sound; null: that did not happen */
    first_audio_ms: number | null;
    /** Milliseconds from the beginning of the turn until the last word; null: that did not happen */
    text_ms: number | null;
    /** Milliseconds from the beginning of the turn until the last sound was made; null: that did not happen */
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
  capabilities: ('chat' | 'vision' | 'image' | 'video' | 'speech' | 'transcription' | 'embedding' | 'ocr')[];
  /** Tokens that a conversation may have; null where the provider does not say */
  context_window: number | null;
  /** Fields of a chat request that this model refuses */
  unsupported_settings?: string[] | undefined;
}

export interface OcrResult {
  type: 'ocr';
  /** Of the pages together, as much as has room here */
  markdown: string;
  /** In order, as many as have room here */
  pages: {
    /** From 1 */
    number: number;
    /** Of the upright page: pixels of an image; points (1/72 inch) of a page of a PDF */
    width: number;
    height: number;
    /** Degrees clockwise by which the page, as viewers show it, was turned about its centre to be upright; sizes and boxes are those after it. What is no multiple of 90 straightened a crooked page, and left its size as it was */
    rotation: number;
    /** Whether its text stood in the file, or was read from its image */
    source: 'text_layer' | 'image';
    text: string;
    markdown: string;
    /** 0 to 1; null where nothing was guessed, or nobody tells */
    confidence: number | null;
    /** In reading order. Null where they are too many to be told here (the asset has them), or a model that sees read the page, which tells no places */
    lines: {
      text: string;
      box: {
        x: number;
        y: number;
        width: number;
        height: number;
      };
      /** 0 to 1; null where nothing was guessed, or nobody tells */
      confidence: number | null;
      words: {
        text: string;
        box: {
          x: number;
          y: number;
          width: number;
          height: number;
        };
        /** 0 to 1; null where nothing was guessed, or nobody tells */
        confidence: number | null;
      }[];
    }[] | null;
  }[];
  /** Of the whole file */
  page_count: number;
  /** What was asked for and not read, since no more than 1,000 pages are read at once: such as `1001-2400`, to be asked for as `pages` */
  pages_left: string | null;
  languages: string[];
  /** Whether something that was read is left out here for its size; the asset has all of it */
  truncated: boolean;
  /** Where something is left out: a JSON file of `page_count`, `pages_left`, `languages` and all `pages` */
  asset: {
    /** `ast_…` */
    id: string;
    kind: 'image' | 'video' | 'audio' | 'document' | 'other';
    /** Found from the bytes, whatever the name says */
    mime_type: string;
    size_bytes: number;
    /** Of the content, in hexadecimal */
    sha256: string;
    filename: string | null;
    /** Pixels, of images and videos */
    width: number | null;
    height: number | null;
    /** Of videos and audio */
    duration_ms: number | null;
    /** The execution that made it; null: it was uploaded */
    execution_id: string | null;
    created_at: string;
  } | null;
}

export type OutputItem = {
  type: 'text';
  text: string;
} | {
  type: 'asset';
  asset: Asset;
} | OcrResult | Verification | Citation | Transcript | Passage;

export interface OwnedAsset {
  /** `ast_…` */
  id: string;
  kind: 'image' | 'video' | 'audio' | 'document' | 'other';
  /** Found from the bytes, whatever the name says */
  mime_type: string;
  size_bytes: number;
  /** Of the content, in hexadecimal */
  sha256: string;
  filename: string | null;
  /** Pixels, of images and videos */
  width: number | null;
  height: number | null;
  /** Of videos and audio */
  duration_ms: number | null;
  /** The execution that made it; null: it was uploaded */
  execution_id: string | null;
  created_at: string;
  object: 'asset';
  /** Its content; signed, expires, supports Range */
  url: string;
  /** A small image of it, for images and videos; signed, expires */
  thumbnail_url: string | null;
  /** Who uploaded it, or had it made */
  user_id: string;
}

export interface Passage {
  type: 'passage';
  passage: KnowledgeChunk;
}

export interface Progress {
  completed: number;
  total: number;
  stage: string;
}

export interface QueuesTicket {
  object: 'queues.ticket';
  /** Lets a browser in once */
  ticket: string;
  expires_at: string;
  /** What the browser is to open, with the ticket in it */
  url: string;
}

export interface Session {
  /** `ses_…` */
  id: string;
  object: 'session';
  title: string | null;
  pinned: boolean;
  starred: boolean;
  agent_id: string | null;
  message_count: number;
  /** The turn that is running now */
  active_execution_id: string | null;
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
}

export interface SpeechVoice {
  /** `provider/model` */
  model: string;
  /** For `voice` of a request */
  id: string;
  name: string;
  /** BCP 47; null: any that the model speaks */
  language: string | null;
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
  type: 'output.item';
  seq: number;
  execution_id: string;
  index: number;
  item: OutputItem;
} | {
  type: 'execution.succeeded';
  seq: number;
  execution_id: string;
  /** The whole execution; of a chat turn a `ChatExecution` */
  execution: Execution;
} | {
  type: 'execution.failed';
  seq: number;
  execution_id: string;
  /** The whole execution; of a chat turn a `ChatExecution` */
  execution: Execution;
} | {
  type: 'execution.cancelled';
  seq: number;
  execution_id: string;
  /** The whole execution; of a chat turn a `ChatExecution` */
  execution: Execution;
};

export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds */
  expires_in: number;
  /** Left out where it is in a cookie */
  refresh_token?: string | undefined;
  user: User;
}

export interface Transcript {
  type: 'transcript';
  text: string;
  /** `provider/model` that heard it */
  model: string;
  /** ISO 639, such as `en`; null where the model does not say */
  language: string | null;
  /** Of the sound */
  duration_ms: number;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cost_usd: number | null;
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
    /** Of the executions whose price is known */
    cost_usd: number;
    /** How many executions that cost says nothing of */
    unpriced_executions: number;
  };
  /** What the scope stores now, whatever the days. */
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
  /** Of the executions whose price is known */
  cost_usd: number;
  /** How many executions that cost says nothing of */
  unpriced_executions: number;
}

export interface User {
  /** `usr_…` */
  id: string;
  object: 'user';
  email: string;
  /** May see queues and all users */
  operator: boolean;
  created_at: string;
}

export interface Verification {
  type: 'verification';
  verdict: 'made_here' | 'made_here_altered' | 'made_elsewhere' | 'not_found';
  claim: 'supported' | 'contradicted' | 'uncertain' | 'not_checked';
  summary: string;
  checks: {
    check: 'provenance' | 'ledger' | 'similarity' | 'expected_text' | 'prompt';
    /** `absent`: there was nothing to look at; `skipped`: not asked for, or no means */
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
  /** Of the voices, in BCP 47; models may speak others */
  languages: string[];
  /** Of what is spoken */
  formats: {
    format: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';
    mime_type: string;
  }[];
  /** Media types of what can be heard */
  accepts: string[];
  limits: {
    /** The longest sound that is heard */
    audio_ms: number;
    /** The longest text that is answered */
    text_characters: number;
    /** A longer answer is spoken so far */
    spoken_ms: number;
    /** How long a ticket for the socket is good */
    ticket_ms: number;
  };
  /** How the socket finds the end of a turn, unless told otherwise */
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
  /** For `?ticket=` of the voice socket: lets in once, as who asked for it, in the same scope */
  ticket: string;
  expires_at: string;
  /** The address of the socket, without the ticket */
  url: string;
}

export interface VoiceTurn {
  /** That answered it */
  execution_id: string | null;
  session_id: string | null;
  user_message_id: string | null;
  /** The answer */
  message_id: string | null;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled';
  /** What was said, or written */
  transcript: string | null;
  /** The answer; of one that was interrupted, what was heard of it */
  text: string;
  /** How it was spoken; null: it is not known yet */
  voice: MessageVoice | null;
  created_at: string;
}

export interface WebhookDelivery {
  /** `whd_…`, the same in the header `webhook-id` of each attempt */
  id: string;
  object: 'webhook_delivery';
  event: 'execution.succeeded' | 'execution.failed' | 'execution.cancelled' | 'batch.completed';
  execution_id: string | null;
  batch_id: string | null;
  /** Of another member who asked for it you see the host alone, unless you are an admin */
  url: string;
  status: 'pending' | 'delivered' | 'failed';
  attempt_count: number;
  /** The last 20, oldest first */
  attempts: {
    started_at: string;
    duration_ms: number;
    /** HTTP status of the answer; null: none came */
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
  /** `whsec_…`: what receivers check signatures with */
  secret: string;
  created_at: string;
  /** Until then the secret before it signs too; null: there is none */
  previous_valid_until: string | null;
}

export interface Workspace {
  id: string;
  object: 'workspace';
  name: string;
  /** What you are in it */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
  created_at: string;
}

/** What each route takes and answers, by its method and its path under `/api/v1`. */
export interface Operations {
  /** Run a chat turn */
  'POST /chat/completions': {
    body: {
      /** A turn of a session; without `session_id` a new session is opened. */
      message?: string | undefined;
      /** OpenAI's form: a conversation without a session. */
      messages?: ConversationMessage[] | undefined;
      /** `ses_…`: the session that the turn is appended to */
      session_id?: string | undefined;
      /** Images that go with `message`, by the ids of their assets, to a model that sees. */
      attachments?: string[] | undefined;
      /** A message of a session: it is answered again (or, if it is an answer, what it answers); what follows it is superseded. */
      regenerate_from?: string | undefined;
      /** `provider/model`; absent: the configured default. */
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
      n?: number | null | undefined;
      /** The usage always comes with the last frame. */
      stream_options?: {
        include_usage?: boolean | undefined;
        [field: string]: unknown;
      } | null | undefined;
      /** What the answer may be looked for in, and cite; an empty object: all that the scope has. Absent: the `knowledge_tags` of the agent, if it has any. */
      knowledge?: {
        top_k?: number | undefined;
        /** Only entries that have one of these */
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
  /** Follow an execution's events */
  'GET /jobs/{job_id}/events': {
    path: {
      /** Id of the job */
      job_id: string;
    };
    query?: {
      /** `seq` of the last event that you have. */
      after?: number | undefined;
    };
    answer: Execution;
  };
  /** Follow all that happens in the scope */
  'GET /events': {
    query?: {
      /** `id` of the last event that you have. */
      after?: string | undefined;
    };
    answer: FeedFrame;
  };
  /** Get an execution */
  'GET /jobs/{job_id}': {
    path: {
      /** Id of the job */
      job_id: string;
    };
    answer: Execution;
  };
  /** Delete an execution that has ended */
  'DELETE /jobs/{job_id}': {
    path: {
      /** Id of the job */
      job_id: string;
    };
    query?: {
      /** Also deletes the assets that it made, and the recording it was asked with. */
      assets?: 'true' | 'false' | undefined;
    };
    answer: Deletion;
  };
  /** List executions */
  'GET /jobs': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      kind?: 'chat.completion' | 'iris.image' | 'iris.video' | 'iris.ocr' | 'iris.verify' | 'knowledge.ingest' | 'voice.turn' | 'knowledge.ask' | 'knowledge.search' | undefined;
      status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled' | undefined;
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
      /** Id of the job */
      job_id: string;
    };
    answer: Execution;
  };
  /** Run a failed or cancelled execution again */
  'POST /jobs/{job_id}/retry': {
    path: {
      /** Id of the job */
      job_id: string;
    };
    body?: {
      stream?: boolean | undefined;
      /** Told of the end; absent: where that of the old one was to be told */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Can chats run now? */
  'GET /chat/health': {
    answer: {
      object: 'chat.health';
      /** `degraded`: chat runs, but not all is well. `unavailable`: no chat can run */
      status: 'ok' | 'degraded' | 'unavailable';
      store: {
        status: 'ok' | 'failing';
        /** Null while it does not answer */
        latency_ms: number | null;
      };
      redis: {
        status: 'ok' | 'failing';
        /** Null while it does not answer */
        latency_ms: number | null;
      };
      pools: {
        name: string;
        /** `missing`: no worker of this pool is alive */
        status: 'ok' | 'missing';
        workers: number;
        /** Jobs that run */
        active: number;
        /** Jobs that can run at once */
        concurrency: number;
        waiting: number | null;
        oldest_waiting_ms: number | null;
      }[];
      models: {
        id: string;
        provider: string;
        /** After its provider's last calls; `unknown`: none yet */
        status: 'ok' | 'failing' | 'unknown';
        default: boolean;
      }[];
      checked_at: string;
    };
  };
  /** Run up to 10,000 requests */
  'POST /batches': {
    body: {
      /** Of the items that name none */
      kind?: 'iris.image' | 'iris.video' | 'iris.ocr' | 'iris.verify' | 'chat.completion' | undefined;
      /** Fields of the request that items leave out; for items of the batch’s own `kind`, or of any where it has none */
      defaults?: Record<string, unknown> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
      metadata?: Record<string, string> | undefined;
      items: BatchItemRequest[];
    };
    answer: Batch;
  };
  /** List batches */
  'GET /batches': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
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
      /** Id of the batch */
      batch_id: string;
    };
    answer: Batch;
  };
  /** Delete a batch that has ended */
  'DELETE /batches/{batch_id}': {
    path: {
      /** Id of the batch */
      batch_id: string;
    };
    query?: {
      /** Also deletes the assets that its executions made. */
      assets?: 'true' | 'false' | undefined;
    };
    answer: Deletion;
  };
  /** Follow a batch */
  'GET /batches/{batch_id}/events': {
    path: {
      /** Id of the batch */
      batch_id: string;
    };
    answer: BatchFrame;
  };
  /** List a batch's items */
  'GET /batches/{batch_id}/items': {
    path: {
      /** Id of the batch */
      batch_id: string;
    };
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      status?: 'waiting' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped' | undefined;
    };
    answer: {
      object: 'list';
      data: BatchItem[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get what has ended of a batch */
  'GET /batches/{batch_id}/results': {
    path: {
      /** Id of the batch */
      batch_id: string;
    };
    query?: {
      /** `cursor` of the last line that you have */
      after?: string | undefined;
      /** `true`: goes on until the batch has ended */
      follow?: 'true' | 'false' | undefined;
    };
    answer: BatchResult;
  };
  /** Cancel a batch */
  'POST /batches/{batch_id}/cancel': {
    path: {
      /** Id of the batch */
      batch_id: string;
    };
    answer: Batch;
  };
  /** Run those items again that did not succeed */
  'POST /batches/{batch_id}/retry': {
    path: {
      /** Id of the batch */
      batch_id: string;
    };
    answer: Batch;
  };
  /** Open a session */
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
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      pinned?: 'true' | 'false' | undefined;
      starred?: 'true' | 'false' | undefined;
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
  /** Get a session */
  'GET /sessions/{session_id}': {
    path: {
      /** Id of the session */
      session_id: string;
    };
    answer: Session;
  };
  /** Rename, pin or star a session */
  'PATCH /sessions/{session_id}': {
    path: {
      /** Id of the session */
      session_id: string;
    };
    body: {
      title?: string | null | undefined;
      pinned?: boolean | undefined;
      starred?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
    };
    answer: Session;
  };
  /** Delete a session with its messages */
  'DELETE /sessions/{session_id}': {
    path: {
      /** Id of the session */
      session_id: string;
    };
    answer: Deletion;
  };
  /** List a session's messages */
  'GET /sessions/{session_id}/messages': {
    path: {
      /** Id of the session */
      session_id: string;
    };
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      /** `asc`: the oldest first; `desc`: the newest. */
      order?: 'asc' | 'desc' | undefined;
      /** Also the messages that a regeneration has replaced. */
      include_superseded?: 'true' | 'false' | undefined;
    };
    answer: {
      object: 'list';
      data: Message[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get a message */
  'GET /messages/{message_id}': {
    path: {
      /** Id of the message */
      message_id: string;
    };
    answer: Message;
  };
  /** Edit a message */
  'PATCH /messages/{message_id}': {
    path: {
      /** Id of the message */
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
      /** Id of the message */
      message_id: string;
    };
    answer: Deletion;
  };
  /** List a message's revisions */
  'GET /messages/{message_id}/history': {
    path: {
      /** Id of the message */
      message_id: string;
    };
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
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
      /** Id of the message */
      message_id: string;
    };
    answer: Message;
  };
  /** Make images */
  'POST /iris/generate': {
    body: {
      prompt?: string | undefined;
      /** Several at once; excludes `prompt` */
      prompts?: string[] | undefined;
      /** Images for each prompt */
      n?: number | undefined;
      /** Such as `1024x1024`; absent: the default of the model */
      size?: string | undefined;
      /** The same request with the same seed gives the same picture, where the model can; each further image takes the next */
      seed?: number | undefined;
      /** `provider/model`; absent: the first that can do it */
      model?: string | undefined;
      /** What should not be seen */
      negative_prompt?: string | undefined;
      /** Images to go by */
      reference_asset_ids?: string[] | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Make a video */
  'POST /iris/video': {
    body: {
      prompt: string;
      duration_s?: number | undefined;
      fps?: number | undefined;
      /** Such as `1280x720`; absent: the default of the model */
      size?: string | undefined;
      seed?: number | undefined;
      /** `provider/model`; absent: the first that can do it */
      model?: string | undefined;
      /** An image that it begins with */
      image_asset_id?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Read the text of an image or document */
  'POST /iris/ocr': {
    body: {
      /** What was uploaded or made before */
      asset_id?: string | undefined;
      /** A public address */
      url?: string | undefined;
      /** ISO 639-2 codes, the likeliest first; default eng */
      languages?: string[] | undefined;
      /** Such as `1-3,7`; absent: all */
      pages?: string | undefined;
      /** `embedded/ocr`, or a model that sees */
      model?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    form: {
      /** The bytes, sent with a name */
      file: Blob;
      /** A public address */
      url?: string | undefined;
      /** ISO 639-2 codes, the likeliest first; default eng */
      languages?: string[] | undefined;
      /** Such as `1-3,7`; absent: all */
      pages?: string | undefined;
      /** `embedded/ocr`, or a model that sees */
      model?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Ask whether a file was made here, and shows what is claimed */
  'POST /iris/verify': {
    body: {
      /** What was uploaded or made before */
      asset_id?: string | undefined;
      /** A public address */
      url?: string | undefined;
      /** What should be written in it */
      expected_text?: string | undefined;
      /** What it should show */
      prompt?: string | undefined;
      /** A model that sees, for `prompt` */
      model?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    form: {
      /** The bytes, sent with a name */
      file: Blob;
      /** A public address */
      url?: string | undefined;
      /** What should be written in it */
      expected_text?: string | undefined;
      /** What it should show */
      prompt?: string | undefined;
      /** A model that sees, for `prompt` */
      model?: string | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Run a turn that is spoken */
  'POST /voice/chat': {
    body: {
      /** What is said to the model, written */
      text?: string | undefined;
      /** A sound that was uploaded or made before */
      asset_id?: string | undefined;
      /** Absent: a new session is opened */
      session_id?: string | undefined;
      /** `provider/model` that answers; absent: as for a chat */
      model?: string | undefined;
      /** One of the voices of the model that speaks */
      voice?: string | undefined;
      /** `provider/model` that speaks; absent: the default */
      speech_model?: string | undefined;
      /** `provider/model` that hears; absent: the default */
      transcription_model?: string | undefined;
      /** Of the sound of the answer; absent: what `Accept` names, else `mp3` */
      format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm' | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    form: {
      /** The bytes, sent with a name */
      file: Blob;
      /** What is said to the model, written */
      text?: string | undefined;
      /** Absent: a new session is opened */
      session_id?: string | undefined;
      /** `provider/model` that answers; absent: as for a chat */
      model?: string | undefined;
      /** One of the voices of the model that speaks */
      voice?: string | undefined;
      /** `provider/model` that speaks; absent: the default */
      speech_model?: string | undefined;
      /** `provider/model` that hears; absent: the default */
      transcription_model?: string | undefined;
      /** Of the sound of the answer; absent: what `Accept` names, else `mp3` */
      format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm' | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Get a ticket for the voice socket */
  'POST /voice/tickets': {
    answer: VoiceTicket;
  };
  /** Look at what can be spoken, and at spoken turns */
  'POST /voice/chat/meta': {
    body?: {
      /** Also this session: its state and its spoken turns */
      session_id?: string | undefined;
      /** Also this turn alone */
      execution_id?: string | undefined;
      /** How many messages of the session are looked at */
      limit?: number | undefined;
      /** `next_cursor` of the page before */
      after?: string | undefined;
    };
    answer: VoiceMeta;
  };
  /** Interrupt what is spoken in a session */
  'POST /voice/interrupt/{session_id}': {
    path: {
      /** Id of the session */
      session_id: string;
    };
    answer: {
      object: 'voice.interruption';
      session_id: string;
      /** False: no turn was running, and nothing was being said */
      interrupted: boolean;
      /** That wrote the answer */
      execution_id: string | null;
      /** The answer: it is cut to what was heard */
      message_id: string | null;
      /** So much of its sound was heard; null: nobody tells */
      heard_ms: number | null;
      /** What of its text was heard; null: nobody tells */
      heard: string | null;
    };
  };
  /** Ask your documents */
  'POST /console/knowledge/ask': {
    body: {
      question: string;
      /** How many passages the answer is made from, at most */
      top_k?: number | undefined;
      /** Only entries that have one of these */
      tags?: string[] | undefined;
      /** Only these entries */
      entry_ids?: string[] | undefined;
      /** The question and its answer become a turn of this session */
      session_id?: string | undefined;
      /** `provider/model` that answers; absent: the configured default */
      model?: string | undefined;
      temperature?: number | undefined;
      max_tokens?: number | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Search your documents */
  'POST /console/knowledge/search': {
    body: {
      query: string;
      /** How many passages, at most */
      top_k?: number | undefined;
      /** Only entries that have one of these */
      tags?: string[] | undefined;
      /** Only these entries */
      entry_ids?: string[] | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Make files searchable */
  'POST /console/knowledge/upload': {
    form: {
      file: Blob[];
      /** Of a single file */
      title?: string | undefined;
      tags?: string[] | undefined;
      /** Of pages that are read from their pictures, the likeliest first */
      languages?: string[] | undefined;
      /** What is done where the scope has the same content: answer the entry that has it, or make another */
      on_duplicate?: 'reuse' | 'create' | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: KnowledgeCreated | KnowledgeUploaded;
  };
  /** Make a text, or what lies at an address, searchable */
  'POST /console/knowledge': {
    body: {
      /** Absent: the document's own, or its beginning */
      title?: string | undefined;
      /** The text itself; excludes `url` */
      content?: string | undefined;
      /** A page or file at a public address */
      url?: string | undefined;
      /** How `content` is read; absent: as markdown */
      format?: 'text' | 'markdown' | 'html' | undefined;
      tags?: string[] | undefined;
      /** Of pages that are read from their pictures, the likeliest first */
      languages?: string[] | undefined;
      /** What is done where the scope has the same content: answer the entry that has it, or make another */
      on_duplicate?: 'reuse' | 'create' | undefined;
      stream?: boolean | undefined;
      metadata?: Record<string, string> | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: KnowledgeCreated;
  };
  /** List the entries of the scope */
  'GET /console/knowledge': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      status?: 'processing' | 'ready' | 'failed' | undefined;
      tag?: string | undefined;
      source?: 'text' | 'url' | 'file' | undefined;
      /** Words of the title. */
      q?: string | undefined;
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
      /** Id of the knowledge */
      entry_id: string;
    };
    answer: KnowledgeEntry;
  };
  /** Change an entry */
  'PATCH /console/knowledge/{entry_id}': {
    path: {
      /** Id of the knowledge */
      entry_id: string;
    };
    body: {
      title?: string | undefined;
      tags?: string[] | undefined;
      metadata?: Record<string, string> | undefined;
      /** The new text: it is ingested as a new revision, and the old one serves until then */
      content?: string | undefined;
      format?: 'text' | 'markdown' | 'html' | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: KnowledgeEntry;
  };
  /** Delete an entry */
  'DELETE /console/knowledge/{entry_id}': {
    path: {
      /** Id of the knowledge */
      entry_id: string;
    };
    answer: Deletion;
  };
  /** List the chunks of an entry */
  'GET /console/knowledge/{entry_id}/chunks': {
    path: {
      /** Id of the knowledge */
      entry_id: string;
    };
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: KnowledgeChunk[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Process a failed entry again */
  'POST /console/knowledge/{entry_id}/retry': {
    path: {
      /** Id of the knowledge */
      entry_id: string;
    };
    body?: {
      stream?: boolean | undefined;
      /** Told of the end, by a signed POST */
      webhook_url?: string | undefined;
    };
    answer: Execution;
  };
  /** Get the content of an asset */
  'GET /assets/{asset_id}/content': {
    path: {
      /** Id of the asset */
      asset_id: string;
    };
    query?: {
      /** Part of a signed address. */
      expires?: string | undefined;
      /** Part of a signed address. */
      signature?: string | undefined;
    };
    answer: Blob;
  };
  /** Get a small image of an asset */
  'GET /assets/{asset_id}/thumbnail': {
    path: {
      /** Id of the asset */
      asset_id: string;
    };
    query?: {
      /** Part of a signed address. */
      expires?: string | undefined;
      /** Part of a signed address. */
      signature?: string | undefined;
    };
    answer: Blob;
  };
  /** Upload a file */
  'POST /assets': {
    form: {
      /** The bytes, sent with a name */
      file: Blob;
    };
    answer: OwnedAsset;
  };
  /** List the assets of the scope */
  'GET /assets': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      kind?: 'image' | 'video' | 'audio' | 'document' | 'other' | undefined;
      /** What this execution made. */
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
      /** Id of the asset */
      asset_id: string;
    };
    answer: OwnedAsset;
  };
  /** Delete an asset */
  'DELETE /assets/{asset_id}': {
    path: {
      /** Id of the asset */
      asset_id: string;
    };
    answer: Deletion;
  };
  /** Archive a text, or what something says now */
  'POST /archive/units': {
    body: {
      /** Absent: that of what it is made from, or its beginning */
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
  /** List the archive of the scope */
  'GET /archive/units': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      tag?: string | undefined;
      source?: 'session' | 'message' | 'knowledge' | 'text' | undefined;
      source_id?: string | undefined;
      /** Words of title and content; the best come first. */
      q?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ArchiveUnit[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get a unit of the archive */
  'GET /archive/units/{unit_id}': {
    path: {
      /** Id of the archive */
      unit_id: string;
    };
    answer: ArchiveUnit;
  };
  /** Change a unit of the archive */
  'PATCH /archive/units/{unit_id}': {
    path: {
      /** Id of the archive */
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
  /** Delete a unit of the archive */
  'DELETE /archive/units/{unit_id}': {
    path: {
      /** Id of the archive */
      unit_id: string;
    };
    answer: Deletion;
  };
  /** List the revisions of a unit */
  'GET /archive/units/{unit_id}/revisions': {
    path: {
      /** Id of the archive */
      unit_id: string;
    };
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ArchiveRevision[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get the whole archive of the scope */
  'GET /archive/export': {
    query?: {
      /** The `id` of the last line that you have: goes on behind it. */
      after?: string | undefined;
      tag?: string | undefined;
      source?: 'session' | 'message' | 'knowledge' | 'text' | undefined;
    };
    answer: ArchiveUnit;
  };
  /** List webhook deliveries */
  'GET /webhook-deliveries': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
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
      /** Id of the webhookDelivery */
      delivery_id: string;
    };
    answer: WebhookDelivery;
  };
  /** Deliver a webhook again */
  'POST /webhook-deliveries/{delivery_id}/redeliver': {
    path: {
      /** Id of the webhookDelivery */
      delivery_id: string;
    };
    answer: WebhookDelivery;
  };
  /** Get the secret that the webhooks of this scope are signed with */
  'GET /webhook-secret': {
    answer: WebhookSecret;
  };
  /** Put a fresh secret in the place of the one that webhooks are signed with */
  'POST /webhook-secret/rotate': {
    answer: WebhookSecret;
  };
  /** List the models that can be run now */
  'GET /models': {
    query?: {
      /** How many at most, 1 to 100; absent: all of them. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Model[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Usage by day, model and API key, and the storage used */
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
      /** A code of your authenticator app, or a recovery code, where the account asks for one */
      totp_code?: string | undefined;
    };
    answer: TokenAnswer;
  };
  /** Get new tokens for a refresh token */
  'POST /auth/refresh': {
    body?: {
      /** Left out where the cookie holds it */
      refresh_token?: string | undefined;
    };
    answer: TokenAnswer;
  };
  /** Finish a login with a code */
  'POST /auth/totp': {
    body: {
      /** What `totp_required` came with */
      challenge: string;
      /** A code of your authenticator app, or a recovery code */
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
  /** Log out by the cookie */
  'POST /auth/forget': {
    answer: {
      object: 'logout';
      logged_out: true;
    };
  };
  /** Who am I, and in which scope */
  'GET /me': {
    answer: {
      /** `usr_…` */
      id: string;
      object: 'user';
      email: string;
      /** May see queues and all users */
      operator: boolean;
      created_at: string;
      scope: {
        type: 'personal' | 'workspace';
        workspace_id: string | null;
        /** What you are in this scope */
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
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
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
      /** Id of the login */
      login_id: string;
    };
    answer: Deletion;
  };
  /** Get the state of your two-factor authentication */
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
      /** In base 32, to type in */
      secret: string;
      /** `otpauth://…`, to show as a QR code */
      uri: string;
      /** Confirm it with a code before */
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
      /** Each lets you in once without the app. Shown this once */
      recovery_codes: string[];
    };
  };
  /** Get new recovery codes */
  'POST /me/totp/recovery-codes': {
    body: {
      current_password: string;
      code: string;
    };
    answer: {
      object: 'totp.recovery_codes';
      /** Each lets you in once without the app. Shown this once */
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
  /** Make an API key */
  'POST /api-keys': {
    body: {
      name: string;
      /** `read`: get and list; `write`: create, edit, delete; `run`: run models, cancel, retry; `manage`: members, invitations, the audit log; `operator`: users and queues of the platform, for operators only and never together with `workspace_id`. A key can never do more than its user, and no key can create keys or change passwords. */
      permissions?: ('read' | 'write' | 'run' | 'manage' | 'operator')[] | undefined;
      /** Binds the key to this workspace: it works in that scope only, and lists nothing outside of it. */
      workspace_id?: string | null | undefined;
      expires_at?: string | null | undefined;
      /** Requests a minute, over all classes. */
      rate_limit?: number | null | undefined;
    };
    answer: CreatedApiKey;
  };
  /** List your API keys */
  'GET /api-keys': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ApiKey[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Revoke an API key for good */
  'POST /api-keys/{key_id}/revoke': {
    path: {
      /** Id of the apiKey */
      key_id: string;
    };
    answer: ApiKey;
  };
  /** Disable an API key, or enable it again */
  'POST /api-keys/{key_id}/disable': {
    path: {
      /** Id of the apiKey */
      key_id: string;
    };
    body?: {
      /** `false` enables the key again. */
      disabled?: boolean | undefined;
    };
    answer: ApiKey;
  };
  /** Make an agent */
  'POST /agents': {
    body: {
      name: string;
      /** What the model is told before the conversation */
      instructions?: string | null | undefined;
      /** `provider/model`; null: the configured default */
      model?: string | null | undefined;
      temperature?: number | null | undefined;
      /** Which knowledge it answers from */
      knowledge_tags?: string[] | undefined;
      /** How it speaks */
      voice?: string | null | undefined;
      /** Models that take over, in this order, when the one before fails before it has said anything */
      fallbacks?: string[] | undefined;
    };
    answer: Agent;
  };
  /** List the agents of the scope */
  'GET /agents': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: Agent[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Get an agent */
  'GET /agents/{agent_id}': {
    path: {
      /** Id of the agent */
      agent_id: string;
    };
    answer: Agent;
  };
  /** Change an agent */
  'PATCH /agents/{agent_id}': {
    path: {
      /** Id of the agent */
      agent_id: string;
    };
    body: {
      name?: string | undefined;
      /** What the model is told before the conversation */
      instructions?: string | null | undefined;
      /** `provider/model`; null: the configured default */
      model?: string | null | undefined;
      temperature?: number | null | undefined;
      /** Which knowledge it answers from */
      knowledge_tags?: string[] | undefined;
      /** How it speaks */
      voice?: string | null | undefined;
      /** Models that take over, in this order, when the one before fails before it has said anything */
      fallbacks?: string[] | undefined;
    };
    answer: Agent;
  };
  /** Delete an agent */
  'DELETE /agents/{agent_id}': {
    path: {
      /** Id of the agent */
      agent_id: string;
    };
    answer: Deletion;
  };
  /** Make a workspace */
  'POST /workspaces': {
    body: {
      name: string;
    };
    answer: Workspace;
  };
  /** List the workspaces that you are a member of */
  'GET /workspaces': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
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
      /** Id of the workspace */
      workspace_id: string;
    };
    answer: Workspace;
  };
  /** Rename a workspace */
  'PATCH /workspaces/{workspace_id}': {
    path: {
      /** Id of the workspace */
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
      /** Id of the workspace */
      workspace_id: string;
    };
    answer: Deletion;
  };
  /** List a workspace's members */
  'GET /workspaces/{workspace_id}/members': {
    path: {
      /** Id of the workspace */
      workspace_id: string;
    };
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
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
      /** Id of the workspace */
      workspace_id: string;
      /** Id of the user */
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
      /** Id of the workspace */
      workspace_id: string;
      /** Id of the user */
      user_id: string;
    };
    answer: Deletion;
  };
  /** Leave a workspace */
  'POST /workspaces/{workspace_id}/leave': {
    path: {
      /** Id of the workspace */
      workspace_id: string;
    };
    answer: Deletion;
  };
  /** Invite someone to a workspace */
  'POST /workspaces/{workspace_id}/invitations': {
    path: {
      /** Id of the workspace */
      workspace_id: string;
    };
    body: {
      email: string;
      role?: 'viewer' | 'editor' | 'admin' | 'owner' | undefined;
      expires_in_s?: number | undefined;
    };
    answer: CreatedInvitation;
  };
  /** List the open invitations of a workspace */
  'GET /workspaces/{workspace_id}/invitations': {
    path: {
      /** Id of the workspace */
      workspace_id: string;
    };
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
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
      /** Id of the workspace */
      workspace_id: string;
      /** Id of the invitation */
      invitation_id: string;
    };
    answer: Deletion;
  };
  /** Accept an invitation by creating an account, and log in */
  'POST /invitations/accept': {
    body: {
      token: string;
      /** The password of the new account */
      password: string;
    };
    answer: TokenAnswer;
  };
  /** Accept an invitation as yourself */
  'POST /me/invitations/accept': {
    body: {
      token: string;
    };
    answer: Workspace;
  };
  /** Read the audit log of the scope */
  'GET /audit': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
      action?: 'login.succeeded' | 'login.failed' | 'login.ended' | 'login.token_reused' | 'password.changed' | 'totp.enabled' | 'totp.disabled' | 'totp.reset' | 'totp.recovery_code_used' | 'totp.recovery_codes_renewed' | 'user.created' | 'user.disabled' | 'user.enabled' | 'api_key.created' | 'api_key.disabled' | 'api_key.enabled' | 'api_key.revoked' | 'workspace.created' | 'workspace.renamed' | 'workspace.deleted' | 'member.added' | 'member.role_changed' | 'member.removed' | 'member.left' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'webhook_secret.rotated' | 'signing_key.rotated' | 'signing_key.revoked' | 'secret_key.rotated' | 'agent.deleted' | 'archive_unit.deleted' | 'asset.deleted' | 'batch.deleted' | 'execution.deleted' | 'knowledge.deleted' | 'session.deleted' | 'message.deleted' | undefined;
      /** What this user did. */
      user_id?: string | undefined;
    };
    answer: {
      object: 'list';
      data: AuditEntry[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** List all users of the platform */
  'GET /users': {
    query?: {
      /** How many records at most, 1 to 100. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      after?: string | undefined;
    };
    answer: {
      object: 'list';
      data: ListedUser[];
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /** Turn a user's two-factor authentication off */
  'DELETE /users/{user_id}/totp': {
    path: {
      /** Id of the user */
      user_id: string;
    };
    answer: Deletion;
  };
  /** Get a ticket for the view of the queues */
  'POST /queues/tickets': {
    answer: QueuesTicket;
  };
}
