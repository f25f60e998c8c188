export type { ComponentName } from './components.ts';
export {
  missingComponents,
  requireComponent,
  requireModelFiles,
  unavailableModels,
} from './missing-components.ts';
