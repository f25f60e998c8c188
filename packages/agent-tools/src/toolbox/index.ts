// Separate from the package's index, so that processes load this code when the first tool is used.
export { McpPool } from '../mcp/mcp-pool.ts';
export { createImageJobs, type ImageJobParts } from '../platform/image-jobs.ts';
export { createToolbox } from '../toolbox.ts';
