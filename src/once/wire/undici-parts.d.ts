// Importing all of undici is slow. This is the part that botctl loads, by its own path.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}
