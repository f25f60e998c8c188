import manifest from '../../package.json' with { type: 'json' };
import type { ClientContext } from '../command.ts';
import type { Program } from '../run-program.ts';
import { account } from './account.ts';
import { agents } from './agents.ts';
import { ask } from './ask.ts';
import { assets } from './assets.ts';
import { batch } from './batch.ts';
import { budget } from './budget.ts';
import { chat } from './chat.ts';
import { completionOf } from './completion.ts';
import { doctor } from './doctor.ts';
import { documents } from './documents.ts';
import { ingest } from './ingest.ts';
import { jobs } from './jobs.ts';
import { kinds } from './kinds.ts';
import { lanes } from './lanes.ts';
import { login, logout } from './login.ts';
import { mcpServers } from './mcp-servers.ts';
import { image, video } from './media.ts';
import { models } from './models.ts';
import { ocr } from './ocr.ts';
import { sessions } from './sessions.ts';
import { toolApis } from './tool-apis.ts';
import { usage } from './usage.ts';
import { voice } from './voice.ts';
import { webhooks } from './webhooks.ts';
import { whoami } from './whoami.ts';

const COMMANDS = {
  login,
  logout,
  whoami,
  doctor,
  chat,
  image,
  video,
  ocr,
  voice,
  batch,
  ask,
  ingest,
  documents,
  assets,
  sessions,
  jobs,
  agents,
  'mcp-servers': mcpServers,
  'tool-apis': toolApis,
  models,
  kinds,
  usage,
  lanes,
  budget,
  webhooks,
  account,
};

/** Commands of the other program, which this one must not import. */
const ADMIN_COMMANDS = new Set(['user', 'workspace', 'key', 'backup', 'restore', 'erase', 'secret-key', 'signing-key']);

/** The `chorus` command: everything that a user does, over HTTP. */
export const CHORUS: Program<ClientContext> = {
  call: 'chorus',
  version: manifest.version,
  redirect: (name) =>
    ADMIN_COMMANDS.has(name) ? `"${name}" is for operators, on the platform's machine: npm run admin -- ${name}` : null,
  commands: { ...COMMANDS, completion: completionOf(COMMANDS) },
};
