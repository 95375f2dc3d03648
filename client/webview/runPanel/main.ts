/** The page of the Run panel and of the trace editor: wires its parts. */
import { RunPage } from './runPage';

new RunPage(document.body).start();
