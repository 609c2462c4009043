/** A constant rather than a file: a single binary has no files. A test compares it with package.json. */
export const version = '0.1.0-rc.2';
