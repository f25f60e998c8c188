import { buffer } from 'node:stream/consumers';
import { isReservedHeader, type ToolApiAuth } from '@chorus/contract';
import type { Outbound, OutboundAnswer } from '@chorus/outbound';
import { type AgentTool, bindingOf, type ToolCallContext, type ToolResult } from '../agent-tool.ts';
import type { SaveFile } from '../mcp/present-result.ts';
import { type Redact, redactor } from '../redact.ts';
import type { NamedTool } from '../tool-names.ts';
import { asResult, bounded, failed, MAY_HAVE_RUN } from '../tool-results.ts';
import { cleanResult } from '../untrusted-text.ts';
import { ArgumentError, buildRequest } from './build-request.ts';
import type { CompiledOperation, CompiledParameter } from './compiled-api.ts';

export interface HttpToolParts {
  outbound: Pick<Outbound, 'request'>;
  saveFile?: SaveFile | undefined;
  limits?: { callMs?: number; answerBytes?: number } | undefined;
  onError(error: unknown): void;
}

export interface RunnableApi {
  id: string;
  slug: string;
  baseUrl: string;
  operations: readonly CompiledOperation[];
  auth: ToolApiAuth;
}

const CALL_MS = 60_000;
const ANSWER_BYTES = 2_000_000;

/** Returns the operations of an API as tools. Credentials are never arguments, even if the document declares them. */
export function httpTools(parts: HttpToolParts, api: RunnableApi): NamedTool[] {
  const redact = redactor(secretsOf(api.auth));
  return api.operations.map((given) => {
    const operation = withoutCredentials(given, api.auth);
    const origin = { type: 'http', id: api.id };
    const target = `${operation.method} ${api.baseUrl} ${operation.path}`;
    const shown = {
      origin,
      description: operation.description || `${operation.method} ${operation.path}`,
      parameters: parametersOf(operation),
      effect: operation.effect,
    };
    const tool: AgentTool = {
      name: operation.name,
      ...shown,
      binding: bindingOf(shown, target),
      run: (args, call) => asResult(call.signal, () => run(parts, api, operation, args, call, redact), parts.onError),
    };
    return { slug: api.slug, tool };
  });
}

async function run(
  { outbound, saveFile, limits = {} }: HttpToolParts,
  { baseUrl, auth }: RunnableApi,
  operation: CompiledOperation,
  args: Record<string, unknown>,
  call: ToolCallContext,
  redact: Redact,
): Promise<ToolResult> {
  const limit = AbortSignal.timeout(limits.callMs ?? CALL_MS);
  const signal = AbortSignal.any([call.signal, limit]);
  try {
    const { url, headers, ...body } = buildRequest(baseUrl, operation, auth, args);
    if (operation.effect !== 'read') headers['idempotency-key'] = call.callId;
    const { method } = operation;
    const maxBytes = limits.answerBytes ?? ANSWER_BYTES;
    const answer = await outbound.request(url, { method, headers, ...body, maxBytes, idleMs: CALL_MS, signal });
    const bytes = await readBody(answer, signal);
    return await present(answer, bytes, { saveFile, call, redact });
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof ArgumentError) return failed(error.message);
    const doubt = operation.effect === 'read' ? '' : ` ${MAY_HAVE_RUN}`;
    if (limit.aborted) return failed(`The API did not answer in time.${doubt}`);
    // Errors of streams describe the server's socket, which is useless for the model.
    if (error instanceof Error && 'code' in error && /^(ECONN|EPIPE|ERR_STREAM|Z_)/.test(String(error.code)))
      return failed(`The connection to the API broke before the answer was complete.${doubt}`);
    throw error;
  }
}

async function readBody({ body }: OutboundAnswer, signal: AbortSignal): Promise<Buffer> {
  const stop = () => void body.destroy(new DOMException('Aborted', 'AbortError'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await buffer(body);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function present(
  { status, headers }: OutboundAnswer,
  bytes: Buffer,
  { saveFile, call, redact }: { saveFile: SaveFile | undefined; call: ToolCallContext; redact: Redact },
): Promise<ToolResult> {
  const isError = status >= 400 || status < 200;
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const lines = [`Status ${status}`];
  if (status >= 300 && status < 400)
    return failed(redact(`Status ${status}: redirect to ${headers.location ?? 'nowhere'}, which is not followed.`));
  if (bytes.length === 0) lines.push('[Without a body]');
  else if (isText(type, bytes)) lines.push(cleanResult(new TextDecoder().decode(bytes)));
  else if (saveFile === undefined || isError) lines.push(`[A file, not stored: ${type}, ${bytes.length} bytes]`);
  else {
    const asset = await saveFile({ bytes, filename: null }, call);
    lines.push(`[A file: asset ${asset.id}, ${asset.mime_type}, ${asset.size_bytes} bytes]`);
    return { text: redact(lines.join('\n\n')), assets: [asset] };
  }
  return { text: bounded(redact(lines.join('\n\n'))), ...(isError && { isError }) };
}

function isText(type: string, bytes: Buffer): boolean {
  if (/^text\/|[/+](json|xml|yaml|javascript|x-www-form-urlencoded)$/.test(type)) return true;
  return type === '' && !bytes.subarray(0, 1_000).includes(0);
}

/** Credentials, in all forms that requests send. */
function secretsOf(auth: ToolApiAuth): string[] {
  if (auth.type === 'bearer') return [auth.token];
  if (auth.type === 'header' || auth.type === 'query') return [auth.value];
  if (auth.type === 'basic') return [auth.password, `${auth.username}:${auth.password}`];
  return [];
}

/** Leaves out headers that the platform sets, and credentials. */
function withoutCredentials(operation: CompiledOperation, auth: ToolApiAuth): CompiledOperation {
  const isSet = ({ in: place, name }: CompiledParameter) => {
    if (place === 'header' && (isReservedHeader(name) || name.toLowerCase() === 'authorization')) return true;
    if (auth.type !== place || (auth.type !== 'header' && auth.type !== 'query')) return false;
    return place === 'header' ? name.toLowerCase() === auth.name.toLowerCase() : name === auth.name;
  };
  return { ...operation, parameters: operation.parameters.filter((parameter) => !isSet(parameter)) };
}

/** Returns one JSON schema for all parameters and the body. */
function parametersOf({ parameters, body }: CompiledOperation): Record<string, unknown> {
  const properties = Object.fromEntries(parameters.map(({ key, schema }) => [key, schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ key }) => key);
  if (body !== null) properties.body = body.schema;
  if (body?.required) required.push('body');
  return { type: 'object', properties, required, additionalProperties: false };
}
