import { ChorusError } from '@chorus/contract';
import type { AssetVariant } from '@chorus/executions';
import type { Request, RequestHandler } from 'express';
import type { RequestContext } from './request-context.ts';
import { unknownRecord } from './unknown-record.ts';

/** Whether a request comes by an address that was signed, or claims to: it then needs no credential, and one beside it counts for nothing. */
export function isSigned(request: Request): boolean {
  return request.query.signature !== undefined;
}

/** Leaves out a check of credentials for what comes by a signed address. */
export function unlessSigned(handler: RequestHandler): RequestHandler {
  return (request, response, next) => (isSigned(request) ? next() : handler(request, response, next));
}

/**
 * Checks a signed address, before anything is looked up: what is not ours or has expired tells nothing of what exists.
 *
 * @throws {ChorusError} forbidden; not_found for an asset that was deleted since
 */
export async function admitSigned(variant: AssetVariant, context: RequestContext): Promise<void> {
  const { request, services } = context;
  const { expires, signature } = request.query;
  const id = String(request.params.asset_id);
  const leftS = services.addresses.assetUrls.check(id, variant, { expires, signature });
  if (leftS === null)
    throw new ChorusError('forbidden', 'This address has expired, or was not signed here: ask for the asset anew.');
  const asset = await services.database.assets.getSigned(id);
  if (asset === null) throw unknownRecord('asset');
  context.signed = { asset, leftS };
}
