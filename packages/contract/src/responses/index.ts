export * from './input-items.ts';
export * from './present-input.ts';
export * from './present-response.ts';
export * from './public-ids.ts';
export * from './response-object.ts';
export * from './response-options.ts';
export * from './to-messages.ts';
