export * from './assets.ts';
export { type AssetLimits, type AssetParts, createAssets } from './create-assets.ts';
export { deleteAsset } from './delete-asset.ts';
export type { StorageQuota, StorageUsage } from './storage-quota.ts';
