export {
  type IrisInputs,
  type IrisKind,
  type IrisRequests,
  type Plan,
  type PlanParts,
  planIris,
} from './plan.ts';
