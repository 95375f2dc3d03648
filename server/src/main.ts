/** The language server's entry point: wires the handlers to the connection that the client chose (IPC, stdio, socket). */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { wiring } from './compose';
import { startServer } from './handlers';

startServer({ connection: createConnection(ProposedFeatures.all), ...wiring });
