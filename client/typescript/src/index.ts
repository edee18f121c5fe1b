export * from './api.js';
export * from './batch.js';
export { CutError, ProblemError, type Options } from './core.js';
