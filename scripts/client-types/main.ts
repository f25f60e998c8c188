// Writes the types that the client knows the API by. Run it after a route or a schema has changed; a test tells when.
import { writeFile } from 'node:fs/promises';
import { currentTypes, TYPES_FILE } from './current-types.ts';

await writeFile(TYPES_FILE, currentTypes());
