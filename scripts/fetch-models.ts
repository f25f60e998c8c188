// `npm run fetch-models`: downloads the weights of built-in models, which are otherwise fetched at first use, for
// machines without a network. They are stored in MODELS_DIR, or DATA_DIR/models.
import { resolve } from 'node:path';
import { WeightStore } from '@chorus/embedded-models';
import { createLogger } from '@chorus/runtime/log';
import { loadDotEnv } from './setup/load-dot-env.mjs';

loadDotEnv();
const folder = resolve(process.env.MODELS_DIR || `${process.env.DATA_DIR || '.data'}/models`);
await new WeightStore(folder, createLogger({ name: 'fetch-models', level: 'warn' })).fetchAll();
console.log(`The weights of all built-in models are in ${folder}, or among the packages.`);
