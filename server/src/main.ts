/** The language server's entry point: wires the handlers to the connection that the client chose (IPC, stdio, socket). */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { checkDocument } from './checkDocument';
import { startServer } from './handlers';

startServer({ connection: createConnection(ProposedFeatures.all), checkDocument });
