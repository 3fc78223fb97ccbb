/* SPDX-License-Identifier: MIT */
/* The FUSE session: options, mount, loop, end. */
#include "fuse_impl.h"

#define WRITE_BYTES (1u << 20) /* FUSE's max_write */
#define THREADS     10

static void
do_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->want &= ~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
				  FUSE_CAP_SPLICE_MOVE | FUSE_CAP_POSIX_LOCKS |
				  FUSE_CAP_FLOCK_LOCKS);
	conn->max_write = WRITE_BYTES;
}

static const struct fuse_lowlevel_ops ops = {
	.init = do_init,
	.lookup = do_lookup,
	.forget = do_forget,
	.forget_multi = do_forget_multi,
	.getattr = do_getattr,
	.setattr = do_setattr,
	.readlink = do_readlink,
	.mknod = do_mknod,
	.create = do_create,
	.unlink = do_unlink,
	.symlink = do_symlink,
	.link = do_link,
	.mkdir = do_mkdir,
	.rmdir = do_rmdir,
	.rename = do_rename,
	.readdir = do_readdir,
	.readdirplus = do_readdirplus,
	.open = do_open,
	.release = do_release,
	.read = do_read,
	.write = do_write,
	.poll = do_poll,
	.lseek = do_lseek,
	.copy_file_range = do_copy_file_range,
};

/*
 * The session.
 */
static int
serve(struct session *s, struct fuse_session *se, const char *mountpoint,
    void (*ready)(void *), void *arg, struct err *e)
{
	struct fuse_loop_config *cfg = fuse_loop_cfg_create();
	int r;

	if (cfg == NULL)
		return fail(e, ENOMEM, "out of memory");
	fuse_loop_cfg_set_max_threads(cfg, THREADS);
	fuse_loop_cfg_set_clone_fd(cfg, 0);
	if (fuse_session_mount(se, mountpoint) != 0) {
		fuse_loop_cfg_destroy(cfg);
		return fail(e, EIO, "cannot mount on %s", mountpoint);
	}
	if ((r = io_begin(se)) < 0 || (r = notifier_start(s)) < 0) {
		fuse_session_unmount(se);
		fuse_loop_cfg_destroy(cfg);
		return fail(e, -r, "no memory or thread for the session");
	}
	known_init(s);
	ready(arg);
	/* A signal's number is a success here. */
	r = fuse_session_loop_mt(se, cfg);
	end_reads(s);
	fuse_session_unmount(se);
	wait_none_parked(s);
	known_fini(s);
	notifier_stop(s);
	fuse_loop_cfg_destroy(cfg);
	return r < 0 ? fail(e, -r, "the FUSE session ended") : 0;
}

static int
mount_args(struct fuse_args *args, const char *options)
{
	/* Only root may let others in without the leave of fuse.conf. */
	const char *own =
	    geteuid() == 0
		? "-oallow_other,default_permissions,nosuid,nodev,noexec,"
		  "fsname=rdmafs,subtype=rdmafs"
		: "-odefault_permissions,nosuid,nodev,noexec,fsname=rdmafs,"
		  "subtype=rdmafs";

	if (fuse_opt_add_arg(args, "rdmafs") != 0 ||
	    fuse_opt_add_arg(args, own) != 0)
		return -ENOMEM;
	if (options != NULL && (fuse_opt_add_arg(args, "-o") != 0 ||
				   fuse_opt_add_arg(args, options) != 0))
		return -ENOMEM;
	return 0;
}

int
fuse_serve(struct fs *fs, const char *mountpoint, const char *options,
    void (*ready)(void *), void *arg, struct err *e)
{
	struct session s = { .fs = fs };
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *se = NULL;
	int r = -ENOMEM;

	io_name_messages(fs);
	LIST_INIT(&s.parked);
	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.none_parked, NULL);
	if (mount_args(&args, options) == 0)
		s.se = se = fuse_session_new(&args, &ops, sizeof(ops), &s);
	if (se == NULL) {
		r = fail(e, EINVAL,
		    "the FUSE session cannot be made: see "
		    "the options of -o");
	} else if (fuse_set_signal_handlers(se) != 0) {
		r = fail(e, EIO, "signal handlers cannot be set");
	} else {
		r = serve(&s, se, mountpoint, ready, arg, e);
		fuse_remove_signal_handlers(se);
	}
	handle_close_all(fs);
	pool_drain(fs->world.runner); /* who was polled has been told */
	backing_end(&s);
	if (se != NULL)
		fuse_session_destroy(se);
	fuse_opt_free_args(&args);
	pthread_cond_destroy(&s.none_parked);
	pthread_mutex_destroy(&s.lock);
	return r;
}
