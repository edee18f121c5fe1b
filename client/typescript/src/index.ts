export * from './api.js';
export * from './batch.js';
export { CutError, ProblemError, UnreachableError, type Options } from './core.js';
