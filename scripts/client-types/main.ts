// Regenerates the client's API types. Run it after changing a route or schema; a test checks them.
import { writeFile } from 'node:fs/promises';
import { currentTypes, TYPES_FILE } from './write-types.ts';

await writeFile(TYPES_FILE, currentTypes());
