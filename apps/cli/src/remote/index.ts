import type { ClientContext, Command } from '../command.ts';
import { account } from './account.ts';
import { agents } from './agents.ts';
import { ask } from './ask.ts';
import { batch } from './batch.ts';
import { chat } from './chat.ts';
import { ingest } from './ingest.ts';
import { jobs } from './jobs.ts';
import { kinds } from './kinds.ts';
import { login, logout } from './login.ts';
import { mcpServers } from './mcp-servers.ts';
import { image, video } from './media.ts';
import { ocr } from './ocr.ts';
import { toolApis } from './tool-apis.ts';
import { usage } from './usage.ts';
import { voice } from './voice.ts';

/** Commands that use a platform over HTTP, local or remote. */
export const REMOTE_COMMANDS: Record<string, Command<ClientContext>> = {
  login,
  logout,
  account,
  chat,
  image,
  video,
  ocr,
  voice,
  batch,
  ingest,
  ask,
  jobs,
  agents,
  'mcp-servers': mcpServers,
  'tool-apis': toolApis,
  kinds,
  usage,
};
