export { compileGlob, compileGlobs } from './glob.ts';
