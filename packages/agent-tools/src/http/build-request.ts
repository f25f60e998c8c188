import type { ToolApiAuth } from '@chorus/contract';
import type { CompiledOperation, CompiledParameter } from './compiled-api.ts';

/** Invalid arguments, with a message for the model. */
export class ArgumentError extends Error {}

export interface BuiltRequest {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

const MAX_URL = 8_000;
const MAX_BODY = 1_000_000;

/**
 * Builds the request for a call. Arguments cannot change the host, the path beyond their parameters, or the
 * credentials.
 * @throws {ArgumentError}
 */
export function buildRequest(
  baseUrl: string,
  operation: CompiledOperation,
  auth: ToolApiAuth,
  args: Record<string, unknown>,
): BuiltRequest {
  const argumentOf = ({ key }: CompiledParameter) => (Object.hasOwn(args, key) ? args[key] : undefined);
  for (const parameter of operation.parameters)
    if (parameter.required && argumentOf(parameter) === undefined)
      throw new ArgumentError(`The argument \`${parameter.key}\` is required.`);
  const within = (place: CompiledParameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place && argumentOf(parameter) !== undefined);

  let path = operation.path;
  for (const parameter of within('path'))
    path = path.replaceAll(`{${parameter.name}}`, () => segmentOf(joined(argumentOf(parameter), ',')));
  const url = new URL(baseUrl);
  const start = url.pathname.replace(/\/$/, '');
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    throw new ArgumentError('A path argument must not be `.` or `..`.');
  url.pathname = `${start}${path}`;
  for (const parameter of within('query'))
    for (const [name, value] of queryOf(parameter, argumentOf(parameter))) url.searchParams.append(name, value);
  const headers: Record<string, string> = { accept: 'application/json, text/plain;q=0.9, */*;q=0.5' };
  for (const parameter of within('header')) headers[parameter.name.toLowerCase()] = headerValue(argumentOf(parameter));
  const body = bodyOf(operation, args.body);
  if (operation.body !== null && body !== undefined) headers['content-type'] = operation.body.mediaType;
  authenticate(auth, url, headers);
  if (url.href.length > MAX_URL) throw new ArgumentError('The arguments are too long for an address.');
  return { url: url.href, headers, ...(body !== undefined && { body }) };
}

/**
 * Encodes a path argument. Some servers decode `%2F` before they resolve `..`, and some decode twice.
 * @throws {ArgumentError}
 */
function segmentOf(value: string): string {
  if (value.length > MAX_URL) throw new ArgumentError('The arguments are too long for an address.');
  for (let text = value, next = ''; ; text = next) {
    if (text.split(/[/\\]/).some((segment) => /^\.{1,2}$/.test(segment.replace(/;.*$/s, '').trim())))
      throw new ArgumentError('A path argument must not have `.` or `..` between slashes.');
    next = text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
    if (next === text) return encodeURIComponent(value);
  }
}

/** Sets the credentials last, so that no argument replaces them. */
function authenticate(auth: ToolApiAuth, url: URL, headers: Record<string, string>): void {
  if (auth.type === 'bearer') headers.authorization = `Bearer ${auth.token}`;
  else if (auth.type === 'header') headers[auth.name.toLowerCase()] = auth.value;
  else if (auth.type === 'query') url.searchParams.set(auth.name, auth.value);
  else if (auth.type === 'basic')
    headers.authorization = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
}

function bodyOf({ body }: CompiledOperation, given: unknown): string | undefined {
  if (body === null) return undefined;
  if (given === undefined) {
    if (body.required) throw new ArgumentError('The argument `body` is required.');
    return undefined;
  }
  const text = body.kind === 'json' ? JSON.stringify(given) : body.kind === 'text' ? textOf(given) : formOf(given);
  if (text.length > MAX_BODY) throw new ArgumentError('The argument `body` is too long.');
  return text;
}

function formOf(given: unknown): string {
  if (typeof given !== 'object' || given === null) throw new ArgumentError('The argument `body` must be an object.');
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, textOf(one));
  return form.toString();
}

const DELIMITERS = { spaceDelimited: ' ', pipeDelimited: '|', form: ',', simple: ',', deepObject: ',' };

function queryOf({ name, style, explode }: CompiledParameter, value: unknown): [string, string][] {
  if (Array.isArray(value))
    return explode ? value.map((one) => [name, textOf(one)]) : [[name, joined(value, DELIMITERS[style])]];
  if (typeof value !== 'object' || value === null) return [[name, textOf(value)]];
  if (style === 'deepObject') return Object.entries(value).map(([key, one]) => [`${name}[${key}]`, textOf(one)]);
  // An exploded object would choose its own parameter names.
  return [[name, joined(value, ',')]];
}

function joined(value: unknown, delimiter: string): string {
  if (Array.isArray(value)) return value.map(textOf).join(delimiter);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .flatMap(([key, one]) => [key, textOf(one)])
      .join(delimiter);
  return textOf(value);
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
}

function headerValue(value: unknown): string {
  const text = joined(value, ',').trim();
  if (!/^[\x20-\x7e]*$/.test(text)) throw new ArgumentError('A header argument must be visible ASCII.');
  return text;
}
