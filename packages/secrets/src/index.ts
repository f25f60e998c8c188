export { isSealed, SecretBox } from './secret-box.ts';
export { addSecretKey, createSecretKeyFile, readSecretBox, type SecretKeySource } from './secret-keys.ts';
