declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  // eslint-disable-next-line no-restricted-syntax -- undici's own export
  export default Pool;
}
