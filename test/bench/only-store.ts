import { store } from './store.ts';

await store();
process.exit(0);
