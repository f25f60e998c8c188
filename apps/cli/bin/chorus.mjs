#!/usr/bin/env node
// Runs the command in this repository, on Node 20 too. Elsewhere, install @chorus-platform/cli.
import { run } from './run.mjs';

await run('apps/cli/src/main.ts', { folder: process.cwd(), needsRedis: false });
