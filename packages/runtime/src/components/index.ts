export type { ComponentName } from './components.ts';
export {
  missingComponents,
  requireComponent,
  requireKindFiles,
  requireModelFiles,
  unavailableModels,
} from './missing-components.ts';
