import { addMessages } from './i18n.ts';
import type { Area } from './messages.ts';

/** Loads the English messages. Tests of sources that use some import this file. */
const files = import.meta.glob<Record<string, string>>('./messages/en/*.json', { eager: true, import: 'default' });

for (const [path, messages] of Object.entries(files)) addMessages(path.replace(/^.*\/|\.json$/g, '') as Area, messages);
