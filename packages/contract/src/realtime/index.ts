export * from './client-events.ts';
export * from './items.ts';
export * from './limits.ts';
export * from './paths.ts';
export * from './server-events.ts';
export { DEFAULT_REALTIME_SETTINGS, type RealtimeChange, type RealtimeSettings } from './settings.ts';
