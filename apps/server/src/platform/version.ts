/** Of this server, as in its package.json; a test compares them. */
export const VERSION = '0.1.0-rc.2';
