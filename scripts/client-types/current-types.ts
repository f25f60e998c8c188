import { createOpenApi } from '../../apps/api/src/docs/openapi.ts';
import { routes } from '../../apps/api/src/routes/index.ts';
import { type OpenApiDocument, writeTypes } from './write-types.ts';

/** Where the client's types lie. */
export const TYPES_FILE = new URL('../../packages/client/src/generated/api-types.ts', import.meta.url);

/** The client's types, as the API's routes are declared now. */
export function currentTypes(): string {
  return writeTypes(createOpenApi(routes, null) as unknown as OpenApiDocument);
}
